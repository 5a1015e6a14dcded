(* Loads of an axis of a mesh: fields whose top bits are reversed, and whose ends change places.

   A line of 2^a nodes has a message from every place x to the place f x. Place v is passed to the
   right by the x < v with v <= f x, to the left by the x >= v with f x < v.

   Reversal: with R the reversal of L = l + 2 bits, C m counts the X < m with m <= R X. Let m be
   at most half of 2^L. All odd X < m count, and an even X = 2 x if the reversal of x in L - 2
   bits is at least the upper half of m, which that of 2^(L-2) less the upper half of m values
   is. So C m <= 2^(L-2), and by one less if m is odd. X and R X are opposite together, so C (2^L
   - m) is C m. Messages at place P * 2^q + s come from blocks X < P with P <= R X, and if P <= R
   P also from the block P itself; but then one of P and P + 1 is odd, or C (P + 1) counts P in
   addition.

   Exchange: x = (X, r, S) goes to (S, e, X), e a constant. Place (P, u) is passed by the
   messages of blocks X < P with S > P, and by some with X = P or S = P: if u <= e D + P these
   are as many as with S = P all, else none. Both numbers are largest in the middle.

   Messages to the left run to the right when every place x is called N - 1 - x. *)

From mathcomp Require Import all_ssreflect zify.
From lcc Require Import utility.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Definition rightward N f v := count (fun x => (x < v) && (v <= f x)) (iota 0 N).
Definition leftward N f v := count (fun x => (v <= x) && (f x < v)) (iota 0 N).

Fixpoint reversed L x := if L is L'.+1 then odd x * 2 ^ L' + reversed L' x./2 else 0.

(** ** Counting below N *)

Lemma count_bijection (P : pred nat) g N :
  (forall x, x < N -> g x < N) -> {in gtn N &, injective g} ->
  count (fun x => P (g x)) (iota 0 N) = count P (iota 0 N).
Proof.
move=> lt_g inj_g; rewrite -(count_map g P); apply/permP.
have in_N x : (x \in iota 0 N) = (x < N) by rewrite mem_iota.
have uniq_g : uniq (map g (iota 0 N)).
  by rewrite map_inj_in_uniq ?iota_uniq // => x y; rewrite !in_N; apply: inj_g.
have sub_g : {subset map g (iota 0 N) <= iota 0 N}.
  by move=> y /mapP[x]; rewrite !in_N => /lt_g lt_gx ->.
apply: uniq_perm; rewrite ?iota_uniq //.
by case: (uniq_min_size uniq_g sub_g); rewrite ?size_map.
Qed.

Lemma count_below N t : count (gtn t) (iota 0 N) = minn t N.
Proof.
elim: N => [|N IH]; first by rewrite minn0.
by rewrite -addn1 iotaD count_cat IH /= add0n addn0; case: ltnP; lia.
Qed.

Lemma count_from N t : t <= N -> count (leq t) (iota 0 N) = N - t.
Proof.
move=> le_tN; have := count_predC (gtn t) (iota 0 N); rewrite count_below size_iota.
rewrite (eq_count (a2 := leq t)); first by lia.
by move=> x /=; rewrite -leqNgt.
Qed.

Lemma count_none (P : pred nat) s : (forall x, x \in s -> ~~ P x) -> count P s = 0.
Proof. by move=> none; apply/eqP; rewrite eqn0Ngt -has_count; apply/hasPn. Qed.

Lemma count_sub (P Q : pred nat) s :
  (forall x, x \in s -> P x -> Q x) -> count P s <= count Q s.
Proof.
elim: s => //= x s IH sub; apply: leq_add; last first.
  by apply: IH => y ys; apply: sub; rewrite inE ys orbT.
by case: (P x) (sub x (mem_head x s)) => // /(_ isT) ->.
Qed.

Lemma count_sum (P : pred nat) N : count P (iota 0 N) = \sum_(X < N) P X.
Proof.
elim: N => [|N IH]; first by rewrite big_ord0.
have -> : iota 0 N.+1 = iota 0 N ++ [:: N] by rewrite -addn1 iotaD.
by rewrite count_cat IH big_ord_recr /= addn0.
Qed.

Lemma count_blocks P K W :
  count P (iota 0 (K * W)) = \sum_(X < K) count (fun r => P (X * W + r)) (iota 0 W).
Proof.
elim: K => [|K IH]; first by rewrite big_ord0.
rewrite big_ord_recr /= -IH mulSnr iotaD count_cat add0n; congr (_ + _).
by rewrite -{1}[K * W]addn0 iotaDl count_map.
Qed.

Lemma count_halves P N : count P (iota 0 N.*2) =
  count (fun x => P x.*2) (iota 0 N) + count (fun x => P x.*2.+1) (iota 0 N).
Proof.
elim: N => // N IH; rewrite doubleS -addn2 iotaD count_cat IH -[N.+1]addn1 !iotaD !count_cat /=.
by rewrite !add0n !addn0; lia.
Qed.

Lemma lexicographic K P u S c : u < K -> c < K ->
  (P * K + u <= S * K + c) = (P < S) || ((P == S) && (u <= c)).
Proof.
move=> lt_u lt_c; have [lt_PS|lt_SP|->] := ltngtP P S; last by rewrite leq_add2l.
  apply/leq_trans: (leq_addr c (S * K)); apply: leq_trans (_ : P.+1 * K <= _).
    by rewrite mulSnr leq_add2l ltnW.
  by rewrite leq_mul2r lt_PS orbT.
apply/negbTE; rewrite -ltnNge; apply: leq_trans (leq_addr u _).
apply: leq_trans (_ : S.+1 * K <= _); first by rewrite mulSnr ltn_add2l.
by rewrite leq_mul2r lt_SP orbT.
Qed.

Lemma count_residues D E P : P <= D -> count (fun t => P <= t %% D) (iota 0 (E * D)) = E * (D - P).
Proof.
move=> le_P; rewrite count_blocks (eq_bigr (fun _ => D - P)) => [|X _].
  by rewrite sum_nat_const card_ord.
rewrite -(count_from le_P); apply: eq_in_count => r; rewrite mem_iota add0n => /andP[_ lt_r] /=.
by rewrite modnMDl modn_small.
Qed.

Lemma count_residues_below D E P e : P <= D -> e <= E ->
  count (fun t => (t < e * D + P) && (P <= t %% D)) (iota 0 (E * D)) = e * (D - P).
Proof.
move=> le_P le_e; rewrite -(count_residues e le_P).
have -> : iota 0 (E * D) = iota 0 (e * D) ++ iota (e * D) ((E - e) * D).
  by rewrite -[X in iota X]add0n -iotaD -mulnDl subnKC.
rewrite count_cat [X in _ + X]count_none ?addn0.
  apply: eq_in_count => t; rewrite mem_iota add0n => /andP[_ lt_t].
  by rewrite (leq_trans lt_t) ?leq_addr.
move=> t; rewrite mem_iota => /andP[ge_t lt_t]; apply/negP=> /andP[lt_P ge_P].
have D_pos : 0 < D by case: (D) ge_t lt_t => //; rewrite !muln0 addn0; case: t {lt_P ge_P}.
have : e * D + P <= t; last by rewrite leqNgt lt_P.
by rewrite (divn_eq t D) leq_add // leq_mul2r leq_divRL // ge_t orbT.
Qed.

Lemma opposite_block K W x : x < K * W -> ((K * W).-1 - x) %/ W = K.-1 - x %/ W
  /\ ((K * W).-1 - x) %% W = W.-1 - x %% W.
Proof.
move=> lt_x; have W_pos : 0 < W by case: (W) lt_x => //; rewrite muln0.
have lt_X : x %/ W < K by rewrite ltn_divLR.
have lt_r : x %% W < W by rewrite ltn_mod.
have -> : (K * W).-1 - x = (K.-1 - x %/ W) * W + (W.-1 - x %% W).
  rewrite {1}(divn_eq x W); move: (x %/ W) (x %% W) lt_X lt_r => X r lt_X lt_r.
  have [k ->] : exists k, K = X + k.+1 by exists (K - X).-1; lia.
  have -> : (X + k.+1).-1 - X = k by lia.
  by rewrite mulnDl mulSn; lia.
have lt_rest : W.-1 - x %% W < W by lia.
by rewrite divnMDl // modnMDl (divn_small lt_rest) (modn_small lt_rest) addn0.
Qed.

Definition mirrored N f x := N.-1 - f (N.-1 - x).

Lemma leftward_mirrored N f v : (forall x, x < N -> f x < N) ->
  leftward N f v = if v <= N then rightward N (mirrored N f) (N - v) else 0.
Proof.
move=> lt_f; case: leqP => [le_v|gt_v]; last first.
  apply: count_none => x; rewrite mem_iota add0n => /andP[_ lt_x].
  by rewrite negb_and -ltnNge (leq_trans lt_x) // ltnW.
rewrite /leftward -(count_bijection _ (g := fun x => N.-1 - x)); first last.
- by move=> x y; rewrite !inE; lia.
- by move=> x; lia.
apply: eq_in_count => x; rewrite mem_iota add0n => /andP[_ lt_x]; rewrite /mirrored.
by have : f (N.-1 - x) < N; [apply: lt_f; lia|lia].
Qed.

(** ** The reversal of L bits *)

Lemma reversed_lt L x : reversed L x < 2 ^ L.
Proof.
elim: L x => // L IH x /=; rewrite expnS; have := IH x./2.
by case: (odd x); rewrite ?mul1n ?mul0n; lia.
Qed.

Lemma reversedS L x : reversed L.+1 x = odd x * 2 ^ L + reversed L x./2.
Proof. by []. Qed.

Lemma reversed_top L x (b : bool) :
  x < 2 ^ L -> reversed L.+1 (b * 2 ^ L + x) = (reversed L x).*2 + b.
Proof.
elim: L x b => [|L IH] x b.
  by rewrite expn0 ltnS leqn0 => /eqP->; case: b.
rewrite expnS => lt_x; rewrite reversedS.
have -> : odd (b * (2 * 2 ^ L) + x) = odd x by rewrite oddD; case: b; rewrite ?mul1n ?mul0n ?oddM.
have -> : (b * (2 * 2 ^ L) + x)./2 = b * 2 ^ L + x./2.
  by rewrite mulnCA mul2n halfD odd_double doubleK.
have lt_h : x./2 < 2 ^ L by lia.
by rewrite IH // reversedS expnS; lia.
Qed.

Lemma reversedK L x : x < 2 ^ L -> reversed L (reversed L x) = x.
Proof.
elim: L x => [|L IH] x; first by rewrite expn0 ltnS leqn0 => /eqP->.
rewrite expnS => lt_x; rewrite [reversed L.+1 x]reversedS reversed_top ?reversed_lt // IH; lia.
Qed.

Lemma reversed_inj L : {in gtn (2 ^ L) &, injective (reversed L)}.
Proof. by move=> x y ltx lty eqR; rewrite -(reversedK ltx) eqR reversedK. Qed.

Lemma reversed_opposite L x : x < 2 ^ L ->
  reversed L ((2 ^ L).-1 - x) = (2 ^ L).-1 - reversed L x.
Proof.
elim: L x => [|L IH] x //; rewrite expnS => lt_x.
have pos : 0 < 2 ^ L by rewrite expn_gt0.
have lt_h : x./2 < 2 ^ L by lia.
have := reversed_lt L x./2; have := IH _ lt_h; rewrite !reversedS.
have -> : odd ((2 * 2 ^ L).-1 - x) = ~~ odd x by lia.
have -> : ((2 * 2 ^ L).-1 - x)./2 = (2 ^ L).-1 - x./2 by lia.
by move=> ->; case: (odd x); rewrite /= ?mul1n ?mul0n; lia.
Qed.

Section Reversal.

Variable l : nat.
Let L := l.+2.
Let R := reversed L.
Let N := 2 ^ L.
Let C := rightward N R.

Lemma sides m : C m = leftward N R m.
Proof.
have both P Q : count P (iota 0 N) = count (fun x => P x && Q x) (iota 0 N)
    + count (fun x => P x && ~~ Q x) (iota 0 N).
  by elim: (iota 0 N) => //= x t ->; case: (P x); case: (Q x) => /=; lia.
have := both (gtn m) (fun x => R x < m); have := both (fun x => R x < m) (gtn m).
rewrite (count_bijection (gtn m) (g := R)); [|by move=> *; apply: reversed_lt|exact: reversed_inj].
have -> : count (fun x => (R x < m) && (x < m)) (iota 0 N)
    = count (fun x => (x < m) && (R x < m)) (iota 0 N) by apply: eq_count => x; rewrite andbC.
have -> : count (fun x => (x < m) && ~~ (R x < m)) (iota 0 N) = C m.
  by apply: eq_count => x; rewrite -leqNgt.
have -> : count (fun x => (R x < m) && ~~ (x < m)) (iota 0 N) = leftward N R m.
  by apply: eq_count => x; rewrite -leqNgt andbC.
by move=> -> /addnI.
Qed.

Lemma opposite m : m <= N -> C (N - m) = C m.
Proof.
move=> le_m; rewrite [RHS]sides /C /rightward /leftward.
rewrite -(count_bijection _ (g := fun x => N.-1 - x)); first last.
- by move=> x y; rewrite !inE; lia.
- by move=> x; lia.
apply: eq_in_count => x; rewrite mem_iota add0n => /andP[_ lt_x]; rewrite /R reversed_opposite //.
by have := reversed_lt L x; rewrite -/N -/R; lia.
Qed.

Lemma halves m : m <= 2 ^ l.+1 ->
  C m = count (fun x => (x.*2 < m) && (m <= reversed l.+1 x)) (iota 0 (2 ^ l.+1)) + m./2.
Proof.
move=> le_m; rewrite /C /rightward /N /L expnS mul2n count_halves; congr (_ + _).
  by apply: eq_count => x; rewrite /R /L [reversed l.+2 _]reversedS odd_double doubleK mul0n.
rewrite (eq_count (a2 := gtn m./2)); first by rewrite count_below; apply/minn_idPl; lia.
move=> x; rewrite /R /L [reversed l.+2 _]reversedS /= odd_double uphalf_double mul1n.
by rewrite (leq_trans le_m) ?leq_addr ?andbT //; lia.
Qed.

Lemma middle : C (2 ^ l.+1) = 2 ^ l.
Proof.
rewrite halves // count_none ?add0n; first by rewrite expnS mul2n doubleK.
by move=> x _; rewrite negb_and -!ltnNge reversed_lt orbT.
Qed.

Lemma half_bound m : m <= 2 ^ l.+1 -> C m + uphalf m <= 2 ^ l + m./2.
Proof.
move=> le_m; rewrite halves // addnAC leq_add2r.
have -> : count (fun x => (x.*2 < m) && (m <= reversed l.+1 x)) (iota 0 (2 ^ l.+1))
    = count (fun x => (x.*2 < m) && (uphalf m <= reversed l x)) (iota 0 (2 ^ l)).
  have split : 2 ^ l.+1 = 2 ^ l + 2 ^ l by rewrite expnS; lia.
  rewrite split iotaD count_cat add0n [X in _ + X](_ : _ = 0); last first.
    by apply: count_none => x; rewrite mem_iota => /andP[ge_x _]; move: le_m; rewrite split; lia.
  rewrite addn0; apply: eq_in_count => x; rewrite mem_iota add0n => /andP[_ lt_x].
  by have := reversed_top false lt_x; rewrite mul0n add0n addn0 => ->; case: ltnP => //= _; lia.
apply: leq_trans (_ : count (fun x => uphalf m <= reversed l x) (iota 0 (2 ^ l)) + uphalf m <= _).
  by rewrite leq_add2r; apply: sub_count => x /andP[].
rewrite (count_bijection (leq (uphalf m)) (g := reversed l)); first last.
- exact: reversed_inj.
- by move=> *; apply: reversed_lt.
have le_h : uphalf m <= 2 ^ l by move: le_m; rewrite expnS; lia.
by rewrite count_from // subnK.
Qed.

Lemma bound m : C m + (odd m) <= 2 ^ l.
Proof.
have [le_m|gt_m] := leqP m (2 ^ l.+1); first by have := half_bound le_m; lia.
have NE : N = 2 * 2 ^ l.+1 by rewrite /N /L expnS.
have [le_mN|gt_mN] := leqP m N.
  rewrite -opposite //; have := @half_bound (N - m); rewrite NE in le_mN *.
  by lia.
have -> : C m = 0.
  by apply: count_none => x _; have := reversed_lt L x; rewrite -/N -/R; lia.
by rewrite add0n; apply: leq_trans (leq_b1 _) _; rewrite expn_gt0.
Qed.

Lemma strict P : P < N -> P <= R P -> C P < 2 ^ l.
Proof.
move=> lt_P; rewrite leq_eqVlt => /orP[/eqP fixP|lt_PR].
  have same : C P = C P.+1.
    apply: eq_in_count => x; rewrite mem_iota add0n => /andP[_ lt_x].
    have [->|neq] := eqVneq x P; first by rewrite -fixP; lia.
    have neqR : R x != P.
      by apply: contra neq => /eqP RxP; apply/eqP/(reversed_inj lt_x lt_P); rewrite -/R RxP.
    by lia.
  by have := bound P; have := bound P.+1; rewrite -same /=; case: (odd P); lia.
apply: leq_trans (leq_trans (leq_addr (odd P.+1) _) (bound P.+1)).
rewrite /C /rightward.
have -> : (count (fun x => (x < P) && (P <= R x)) (iota 0 N)).+1
    = count (fun x => (x < P) && (P <= R x)) (iota 0 N) + count (pred1 P) (iota 0 N).
  by rewrite count_uniq_mem ?iota_uniq // mem_iota lt_P addn1.
rewrite -count_predUI [X in _ + X](_ : _ = 0) ?addn0.
  apply: count_sub => x; rewrite mem_iota add0n => /andP[_ lt_x] /=.
  move=> /orP[/andP[lt_xP le_P]|/eqP->].
    rewrite ltnS (ltnW lt_xP) /= ltn_neqAle le_P andbT; apply/eqP=> PR.
    by move: lt_PR; rewrite PR /R reversedK // -/R -PR; lia.
  by rewrite ltnS leqnn.
by apply: count_none => x _ /=; case: (eqVneq x P) => [->|]; rewrite ?ltnn ?andbF.
Qed.

End Reversal.

(** ** Fields whose top bits are reversed *)

Section Field.

Variables (l q : nat) (f : nat -> nat).
Let N := 2 ^ (l.+2 + q).
Let W := 2 ^ q.
Let R := reversed l.+2.
Let C := rightward (2 ^ l.+2) R.
Hypothesis turned : forall x, x < 2 ^ (l.+2 + q) -> f x %/ 2 ^ q = reversed l.+2 (x %/ 2 ^ q).

Let W_pos : 0 < W. Proof. by rewrite expn_gt0. Qed.
Let NE : N = 2 ^ l.+2 * W. Proof. by rewrite /N expnD. Qed.

Lemma turned_at X r : X < 2 ^ l.+2 -> r < W -> f (X * W + r) %/ W = R X.
Proof.
move=> lt_X lt_r; rewrite turned -/W -/N.
  by rewrite divnMDl // divn_small // addn0.
rewrite NE; apply: leq_trans (_ : X.+1 * W <= _); first by rewrite mulSnr ltn_add2l.
by rewrite leq_mul2r lt_X orbT.
Qed.

Lemma block_load P s X : X < 2 ^ l.+2 -> s < W ->
  count (fun r => (X * W + r < P * W + s) && (P * W + s <= f (X * W + r))) (iota 0 W)
  <= ((X < P) && (P <= R X)) * W + ((X == P) && (P <= R P)) * s.
Proof.
move=> lt_X lt_s; have [le_PR|lt_RP] := leqP P (R X); last first.
  rewrite count_none ?leq0n // => r; rewrite mem_iota add0n => /andP[_ lt_r].
  rewrite negb_and -!ltnNge; apply/orP; right.
  by apply: leq_trans (leq_addr s _); rewrite -ltn_divLR // turned_at.
have [lt_XP|lt_PX|eqX] := ltngtP X P.
- by rewrite mul1n mul0n addn0 -[X in _ <= X](size_iota 0 W) count_size.
- rewrite count_none ?leq0n // => r _; rewrite negb_and -leqNgt; apply/orP; left.
  apply: leq_trans (leq_addr r _); apply: ltnW; apply: leq_trans (_ : P.+1 * W <= _).
    by rewrite mulSnr ltn_add2l.
  by rewrite leq_mul2r lt_PX orbT.
rewrite -eqX in le_PR *; rewrite le_PR /= mul1n mul0n add0n.
apply: leq_trans (_ : count (gtn s) (iota 0 W) <= _).
  by apply: sub_count => r /=; rewrite ltn_add2l => /andP[].
by rewrite count_below geq_minl.
Qed.

Lemma field_bound v : rightward N f v <= 2 ^ (l + q).
Proof.
have [ge_v|lt_v] := leqP N v.
  rewrite /rightward count_none ?leq0n // => x; rewrite mem_iota add0n => /andP[_ lt_x].
  rewrite negb_and -!ltnNge; apply/orP; right; apply: leq_trans ge_v; rewrite NE.
  by rewrite -ltn_divLR // turned // reversed_lt.
pose P := v %/ W; pose s := v %% W.
have lt_s : s < W by rewrite ltn_mod.
have lt_P : P < 2 ^ l.+2 by rewrite ltn_divLR // -NE.
rewrite (divn_eq v W) -/P -/s /rightward NE count_blocks.
apply: leq_trans (_ : \sum_(X < 2 ^ l.+2)
    (((X < P) && (P <= R X)) * W + (((X : nat) == P) && (P <= R P)) * s) <= _).
  by apply: leq_sum => X _; apply: block_load.
rewrite big_split -!big_distrl /= -(count_sum (fun X => (X < P) && (P <= R X))) -/(C P).
rewrite -(count_sum (fun X => (X == P) && (P <= R P))).
have [le_PR|_] := leqP P (R P); last first.
  rewrite [X in _ + X * s]count_none => [|X _]; last by rewrite andbF.
  rewrite addn0 expnD leq_mul2r; apply/orP; right.
  exact: leq_trans (leq_addr _ _) (bound l P).
rewrite [X in _ + X * s](_ : _ = 1); last first.
  rewrite (eq_count (a2 := pred1 P)); last by move=> X; rewrite andbT.
  by rewrite count_uniq_mem ?iota_uniq // mem_iota lt_P.
rewrite mul1n; apply: leq_trans (_ : (C P).+1 * W <= _).
  by rewrite mulSnr leq_add2l ltnW.
by rewrite expnD leq_mul2r; apply/orP; right; apply: strict.
Qed.

Lemma field_middle : rightward N f (2 ^ l.+1 * W) = 2 ^ (l + q).
Proof.
apply/eqP; rewrite eqn_leq field_bound /rightward NE count_blocks expnD -(middle l) -/R.
rewrite /rightward count_sum big_distrl /=; apply: leq_sum => X _.
case: andP => [[lt_X le_R]|_]; last by rewrite mul0n.
rewrite mul1n -[X in X <= _](size_iota 0 W) -count_predT; apply: count_sub => r.
rewrite mem_iota add0n => /andP[_ lt_r] _; apply/andP; split.
  apply: leq_trans (_ : X.+1 * W <= _); first by rewrite mulSnr ltn_add2l.
  by rewrite leq_mul2r lt_X orbT.
by rewrite -leq_divRL // turned_at.
Qed.

Lemma field_lt x : x < N -> f x < N.
Proof. by move=> lt_x; rewrite NE -ltn_divLR // turned // reversed_lt. Qed.

Lemma turned_mirrored x : x < N -> mirrored N f x %/ W = R (x %/ W).
Proof.
move=> lt_x; have lt_o : N.-1 - x < N by lia.
have lt_X : x %/ W < 2 ^ l.+2 by rewrite ltn_divLR // -NE.
have key y : y < N -> (N.-1 - y) %/ W = (2 ^ l.+2).-1 - y %/ W.
  by rewrite NE => /opposite_block[].
rewrite /mirrored key ?field_lt // turned // -/W key //.
rewrite reversed_opposite // -/R; have := reversed_lt l.+2 (x %/ W); rewrite -/R; lia.
Qed.

End Field.

(* Messages with any q bits below L = l.+2 reversed ones: a quarter passes a place at most. *)
(** Claims: symbolic.field.reversed. *)
Theorem reversed_field (R : nat -> nat -> nat) l q f :
  (forall x, R 0 x = 0) -> (forall L x, R L.+1 x = odd x * 2 ^ L + R L x./2) ->
  (forall x, x < 2 ^ (l.+2 + q) -> f x %/ 2 ^ q = R l.+2 (x %/ 2 ^ q)) ->
  [/\ forall v, count (fun x => x < v <= f x) (iota 0 (2 ^ (l.+2 + q))) <= 2 ^ (l + q),
      forall v, count (fun x => f x < v <= x) (iota 0 (2 ^ (l.+2 + q))) <= 2 ^ (l + q)
    & count (fun x => x < 2 ^ (l.+1 + q) <= f x) (iota 0 (2 ^ (l.+2 + q))) = 2 ^ (l + q)].
Proof.
move=> R0 RS turnedR; have RE L x : R L x = reversed L x.
  by elim: L x => [|L IH] x; rewrite ?R0 // RS IH.
have turned x : x < 2 ^ (l.+2 + q) -> f x %/ 2 ^ q = reversed l.+2 (x %/ 2 ^ q).
  by move=> /turnedR ->.
split=> [v|v|]; first exact: (field_bound turned).
  rewrite (eq_count (a2 := fun x => (v <= x) && (f x < v))) => [|x]; last exact: andbC.
  rewrite -/(leftward _ f v) leftward_mirrored; last exact: (field_lt turned).
  by case: (leqP v) => // _; exact: (field_bound (turned_mirrored turned)).
by rewrite expnD; apply: (field_middle turned).
Qed.

(** ** Fields whose ends change places *)

Section Exchange.

Variables (h E e : nat).
Let D := h.*2.
Let K := E * D.
Let f x := x %% D * K + e * D + x %/ K.
Hypotheses (h_pos : 0 < h) (lt_e : e < E).

Lemma exchanged_at X t : X < D -> t < K -> f (X * K + t) = t %% D * K + (e * D + X).
Proof.
move=> lt_X lt_t; rewrite /f divnMDl ?(leq_ltn_trans _ lt_t) // (divn_small lt_t) addn0.
by have -> : (X * K + t) %% D = t %% D by [rewrite /K mulnA modnMDl]; rewrite addnA.
Qed.

Lemma constant_lt X : X < D -> e * D + X < K.
Proof.
move=> lt_X; apply: leq_trans (_ : e.+1 * D <= _); first by rewrite mulSnr ltn_add2l.
by rewrite leq_mul2r lt_e orbT.
Qed.

Lemma reaches X t P u : X < D -> t < K -> u < K ->
  (P * K + u <= f (X * K + t)) = (P < t %% D) || ((P == t %% D) && (u <= e * D + X)).
Proof. by move=> ltX ltt ltu; rewrite exchanged_at // lexicographic // constant_lt. Qed.

Lemma leaves X t P u : t < K -> u < K ->
  (X * K + t < P * K + u) = (X < P) || ((X == P) && (t < u)).
Proof.
move=> lt_t lt_u; rewrite ltnNge lexicographic // negb_or negb_and -leqNgt -ltnNge.
by case: (ltngtP X P).
Qed.

Let term P u X :=
  count (fun t => (X * K + t < P * K + u) && (P * K + u <= f (X * K + t))) (iota 0 K).

Lemma term_beyond P u X : u < K -> P < X -> term P u X = 0.
Proof.
move=> lt_u lt_PX; rewrite /term count_none // => t; rewrite mem_iota add0n => /andP[_ lt_t].
by rewrite leaves // (gtn_eqF lt_PX) ltnNge (ltnW lt_PX).
Qed.

Lemma term_near P u X : P < D -> X < D -> u < K -> u <= e * D + P ->
  term P u X <= (X < P) * (E * (D - P)) + (X == P) * (e * (D - P)).
Proof.
move=> lt_P lt_X lt_u le_u; have [lt_PX|le_XP] := ltnP P X; first by rewrite term_beyond.
move: le_XP; rewrite leq_eqVlt => /orP[/eqP eqX|lt_XP].
  rewrite eqX ltnn eqxx mul0n add0n mul1n -(count_residues_below (ltnW lt_P) (ltnW lt_e)).
  apply: count_sub => t; rewrite mem_iota add0n => /andP[_ lt_t].
  rewrite leaves // reaches // ltnn eqxx /= => /andP[lt_tu to_P].
  by rewrite (leq_trans lt_tu) //=; case/orP: to_P => [/ltnW//|/andP[/eqP<-]].
rewrite lt_XP (ltn_eqF lt_XP) mul1n mul0n addn0 -(count_residues E (ltnW lt_P)).
apply: count_sub => t; rewrite mem_iota add0n => /andP[_ lt_t].
by rewrite reaches // => /andP[_ /orP[/ltnW//|/andP[/eqP<-]]].
Qed.

Lemma term_far P u X : P < D -> X < D -> u < K -> e * D + P < u ->
  term P u X <= (X <= P) * (E * (D - P.+1)).
Proof.
move=> lt_P lt_X lt_u gt_u; have [le_XP|lt_PX] := leqP X P; last by rewrite term_beyond.
rewrite mul1n -(count_residues E lt_P).
apply: count_sub => t; rewrite mem_iota add0n => /andP[_ lt_t].
rewrite reaches // => /andP[_ /orP[//|/andP[_ le_u]]].
by have := leq_trans gt_u le_u; rewrite ltn_add2l ltnNge le_XP.
Qed.

Lemma sum_terms P u : P < D -> u < K ->
  rightward (D * K) f (P * K + u) = \sum_(X < D) term P u X.
Proof. by move=> lt_P lt_u; rewrite /rightward count_blocks. Qed.

Lemma near_most P : P < D -> P * (E * (D - P)) + e * (D - P) <= h * h * E + h * E.-1.
Proof.
rewrite /D => lt_P; apply: leq_trans (_ : P * (E * (h.*2 - P)) + E.-1 * (h.*2 - P) <= _).
  by rewrite leq_add2l leq_mul2r; apply/orP; right; lia.
have [k kE] : exists k, E = k.+1 by exists E.-1; lia.
rewrite kE /=; have [le_hP|lt_Ph] := leqP h P.
  have [u uE] : exists u, P = h + u by exists (P - h); lia.
  have [w wE] : exists w, h = u + w by exists (h - u); lia.
  have -> : h.*2 - P = w by lia.
  by rewrite uE wE; nia.
have [u uE] : exists u, h = P + u.+1 by exists (h - P).-1; lia.
have -> : h.*2 - P = P + u.+1.*2 by lia.
by rewrite uE; nia.
Qed.

Lemma far_most P : P < D -> P.+1 * (E * (D - P.+1)) <= h * h * E.
Proof.
rewrite /D => lt_P; rewrite mulnCA [X in _ <= X]mulnC leq_mul2l; apply/orP; right.
have [le_hP|lt_Ph] := leqP h P.+1.
  have [u uE] : exists u, P.+1 = h + u by exists (P.+1 - h); lia.
  have [w wE] : exists w, h = u + w by exists (h - u); lia.
  have -> : h.*2 - P.+1 = w by lia.
  by rewrite uE wE; nia.
have [u uE] : exists u, h = P.+1 + u by exists (h - P.+1); lia.
have -> : h.*2 - P.+1 = P.+1 + u.*2 by lia.
by rewrite uE; nia.
Qed.

Lemma exchanged_bound v : rightward (D * K) f v <= h * h * E + h * E.-1.
Proof.
have K_pos : 0 < K by rewrite muln_gt0 double_gt0 h_pos (leq_ltn_trans _ lt_e).
have [ge_v|lt_v] := leqP (D * K) v.
  rewrite /rightward count_none ?leq0n // => x; rewrite mem_iota add0n => /andP[_ lt_x].
  rewrite negb_and -!ltnNge; apply/orP; right; apply: leq_trans ge_v.
  rewrite (divn_eq x K) exchanged_at ?ltn_mod ?ltn_divLR //.
  apply: leq_trans (_ : (x %% K %% D).+1 * K <= _).
    by rewrite mulSnr ltn_add2l constant_lt // ltn_divLR.
  by rewrite leq_mul2r ltn_mod double_gt0 h_pos orbT.
have lt_P : v %/ K < D by rewrite ltn_divLR.
have lt_u : v %% K < K by rewrite ltn_mod.
rewrite (divn_eq v K) sum_terms //; set P := v %/ K in lt_P *; set u := v %% K in lt_u *.
have [le_u|gt_u] := leqP u (e * D + P).
  apply: leq_trans (near_most lt_P).
  apply: leq_trans (_ : \sum_(X < D)
    ((X < P) * (E * (D - P)) + ((X : nat) == P) * (e * (D - P))) <= _).
    by apply: leq_sum => X _; apply: term_near.
  rewrite big_split -!big_distrl /= -(count_sum (gtn P)) -(count_sum (pred1 P)) count_below.
  by rewrite count_uniq_mem ?iota_uniq // mem_iota lt_P mul1n (minn_idPl (ltnW lt_P)).
apply: leq_trans (leq_addr _ _); apply: leq_trans (far_most lt_P).
apply: leq_trans (_ : \sum_(X < D) (X <= P) * (E * (D - P.+1)) <= _).
  by apply: leq_sum => X _; apply: term_far.
rewrite -big_distrl /= -(count_sum (fun X => X <= P)).
by rewrite (eq_count (a2 := gtn P.+1)) // count_below (minn_idPl lt_P).
Qed.

(* All messages of the lower half that may pass its end do so, if the constant is the largest. *)
Lemma exchanged_middle : e = E.-1 ->
  rightward (D * K) f (h * K + e * D) = h * h * E + h * E.-1.
Proof.
move=> eE; have lt_h : h < D by rewrite /D; lia.
have lt_u : e * D < K by rewrite ltn_mul2r double_gt0 h_pos.
apply/eqP; rewrite eqn_leq exchanged_bound sum_terms //.
have half : D - h = h by rewrite /D; lia.
have -> : h * h * E + h * E.-1 = \sum_(X < D) ((X < h) * (E * h) + ((X : nat) == h) * (e * h)).
  rewrite big_split -!big_distrl /= -(count_sum (gtn h)) -(count_sum (pred1 h)) count_below.
  rewrite count_uniq_mem ?iota_uniq // mem_iota lt_h mul1n (minn_idPl (ltnW lt_h)).
  by rewrite -eE; congr (_ + _); [rewrite mulnAC -mulnA|rewrite mulnC].
apply: leq_sum => X _; have [eqX|neqX] := eqVneq (X : nat) h.
  rewrite eqX ltnn mul0n add0n mul1n.
  have -> : e * h = e * (D - h) by rewrite half.
  rewrite -(count_residues_below (ltnW lt_h) (ltnW lt_e)).
  apply: count_sub => t; rewrite mem_iota add0n => /andP[_ lt_t] /andP[lt_te ge_h].
  rewrite leaves // reaches // ltnn eqxx leq_addr andbT /= orbC -leq_eqVlt ge_h andbT.
  rewrite -ltn_divLR ?double_gt0 // ltnNge; apply: contraL lt_te => le_et.
  by rewrite -leqNgt (divn_eq t D) leq_add // leq_mul2r le_et orbT.
rewrite mul0n addn0; have [lt_Xh|_] := ltnP X h; last by rewrite mul0n.
have -> : E * h = E * (D - h) by rewrite half.
rewrite mul1n -(count_residues E (ltnW lt_h)).
apply: count_sub => t; rewrite mem_iota add0n => /andP[_ lt_t] ge_h.
by rewrite leaves // reaches // lt_Xh leq_addr andbT /= orbC -leq_eqVlt.
Qed.

Lemma exchanged_lt x : x < D * K -> f x < D * K.
Proof.
have K_pos : 0 < K by rewrite muln_gt0 double_gt0 h_pos (leq_ltn_trans _ lt_e).
move=> lt_x; rewrite (divn_eq x K) exchanged_at ?ltn_mod ?ltn_divLR //.
apply: leq_trans (_ : (x %% K %% D).+1 * K <= _).
  by rewrite mulSnr ltn_add2l constant_lt // ltn_divLR.
by rewrite leq_mul2r ltn_mod double_gt0 h_pos orbT.
Qed.

End Exchange.

Definition exchanged D E e x := x %% D * (E * D) + e * D + x %/ (E * D).

Lemma gap m p : m < p -> p = m + (p.-1 - m).+1.
Proof. lia. Qed.

Lemma exchanged_mirrored h E e x : e < E -> x < h.*2 * (E * h.*2) ->
  mirrored (h.*2 * (E * h.*2)) (exchanged h.*2 E e) x = exchanged h.*2 E (E.-1 - e) x.
Proof.
move=> lt_e lt_x; have h_pos : 0 < h by case: (h) lt_x.
have [D DE] : exists D, D = h.*2 by exists h.*2.
have [K KE] : exists K, K = E * D by exists (E * D).
rewrite -DE -KE in lt_x *; have D_pos : 0 < D by rewrite DE double_gt0.
have K_pos : 0 < K by rewrite KE muln_gt0 D_pos (leq_ltn_trans _ lt_e).
have [divK _] := opposite_block lt_x.
have lt_xD : x < D * E * D by rewrite -mulnA -KE.
have [_ modD] := opposite_block lt_xD; rewrite -mulnA -KE in modD.
rewrite /mirrored /exchanged -KE divK modD.
have lt_X : x %/ K < D by rewrite ltn_divLR.
have lt_S : x %% D < D by rewrite ltn_mod.
move: (x %/ K) (x %% D) lt_X lt_S => X S lt_X lt_S.
have {}KE : K = e * D + (E.-1 - e) * D + D.
  by rewrite KE {1}(gap lt_e) mulnDl mulSn [D + _]addnC addnA.
have DKE : D * K = S * K + (D.-1 - S) * K + K.
  by rewrite {1}(gap lt_S) mulnDl mulSn [K + _]addnC addnA.
rewrite DKE; move: (S * K) ((D.-1 - S) * K) (e * D) ((E.-1 - e) * D) KE => s t p o ->.
by clear - lt_X; lia.
Qed.

(* The low and the high d.+1 bits change places around the w bits of the constant e. *)
(** Claims: symbolic.field.exchanged. *)
Theorem exchanged_field d w e f :
  let N := 2 ^ (d.+1 + w + d.+1) in
  let most := 2 ^ (d + w + d) + 2 ^ (d + w) - 2 ^ d in
  let v0 := 2 ^ (d + w + d.+1) + (2 ^ w).-1 * 2 ^ d.+1 in
  e < 2 ^ w ->
  (forall x, f x = x %% 2 ^ d.+1 * 2 ^ (w + d.+1) + e * 2 ^ d.+1 + x %/ 2 ^ (w + d.+1)) ->
  [/\ forall v, count (fun x => x < v <= f x) (iota 0 N) <= most,
      forall v, count (fun x => f x < v <= x) (iota 0 N) <= most
    & e = (2 ^ w).-1 -> count (fun x => x < v0 <= f x) (iota 0 N) = most].
Proof.
move=> N most v0 lt_e fE; have h_pos : 0 < 2 ^ d by rewrite expn_gt0.
have E_pos : 0 < 2 ^ w by rewrite expn_gt0.
have DE : 2 ^ d.+1 = (2 ^ d).*2 by rewrite expnS mul2n.
have NE : N = (2 ^ d).*2 * (2 ^ w * (2 ^ d).*2) by rewrite /N !expnD DE mulnA.
have mostE : most = 2 ^ d * 2 ^ d * 2 ^ w + 2 ^ d * (2 ^ w).-1.
  by rewrite /most !expnD; case: (2 ^ w) E_pos => // e' _; lia.
have fx x : f x = exchanged (2 ^ d).*2 (2 ^ w) e x by rewrite fE expnD DE.
have right v : count (fun x => x < v <= f x) (iota 0 N)
    = rightward ((2 ^ d).*2 * (2 ^ w * (2 ^ d).*2)) (exchanged (2 ^ d).*2 (2 ^ w) e) v.
  by rewrite NE; apply: eq_count => x; rewrite fx.
split=> [v|v|eE]; rewrite mostE.
- by rewrite right exchanged_bound.
- rewrite (eq_count (a2 := fun x => (v <= x) && (exchanged (2 ^ d).*2 (2 ^ w) e x < v))).
    2: by move=> x; rewrite fx andbC.
  rewrite NE -/(leftward _ (exchanged (2 ^ d).*2 (2 ^ w) e) v).
  rewrite leftward_mirrored; last by move=> x; apply: exchanged_lt.
  case: (leqP v) => // _; have lt_o : (2 ^ w).-1 - e < 2 ^ w by lia.
  apply: leq_trans (exchanged_bound h_pos lt_o _); apply: eq_leq; apply: eq_in_count => x.
  by rewrite mem_iota add0n => /andP[_ lt_x]; rewrite exchanged_mirrored.
rewrite right /v0 -{1}eE [2 ^ (d + w + d.+1)]expnD [2 ^ (d + w)]expnD DE -mulnA.
exact: exchanged_middle.
Qed.
