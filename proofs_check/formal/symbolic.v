(* Formulas for every n: the contention of bit permutations as a count, and closed forms.

   Let A be the bit permutation y_k = x_(s k), and t the inverse of s: source bit m becomes bit t m.
   A vector on the bits below i that A maps to 0 in the rows 0..i is 0 in every bit m with t m <= i,
   since row t m reads it, and free in the others. So the kernel of Theorem 1 has 2^e vectors, e the
   number of m < i with t m > i. Closed forms count these m: they are an interval for a reversal and
   for a shift. If t m <= m + 1 there are none; if t m > m + 1 for some m, bit i = m + 1 has one.
   An upper unit triangle U maps no vector below i to 0 in these rows: look at its largest bit. It
   maps the vectors below i onto themselves, and a lower one L sees the rows 0..i only, so L A U has
   kernels as large as those of A.
   Sums y_k = x_0 + ... + x_(s k) are a bit permutation of the sums from bit 0. A vector on the
   bits below i has one sum from bit i - 1 on, which a row up to i reads, so it is 0. Below, the sum
   up to bit m is free if t m > i.
   In the bit order p the permutation s is p s p^-1. Along a cycle a bit moves up by one at most. *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.
From lcc Require Import utility kernel lattice reordering ecube.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** Bit permutations *)

Section BitPermutations.

Variable n : nat.
Implicit Types (s : 'S_n) (b : vec n) (i m : 'I_n).

Definition behind s i := [set m : 'I_n | (m < i)%N && (i < (s^-1)%g m)%N].

Lemma card_supported (A : 'M['F_2]_n) (C : bits n) : #|ker A set0 C| = (2 ^ #|C|)%N.
Proof.
rewrite card_ker; have -> : \rank (minor A set0 C) = 0%N; last by rewrite subn0.
by apply/eqP; rewrite -leqn0; apply: leq_trans (rank_leq_row _) _; rewrite cards0.
Qed.

Lemma ker_bit_permutation s i :
  ker (perm_mx s) (below n i.+1) (below n i) = ker (perm_mx s) set0 (behind s i).
Proof.
apply/setP=> x; apply/kerP/kerP=> -[off rows]; split.
- move=> m; rewrite inE negb_and -!leqNgt => /orP[le_im|le_ti].
    by apply: off; rewrite inE -leqNgt.
  by have := rows ((s^-1)%g m); rewrite perm_mx_bit permKV inE ltnS; apply.
- by move=> k; rewrite inE.
- by move=> m; rewrite inE -leqNgt => le_im; apply: off; rewrite inE ltnNge le_im.
move=> k; rewrite inE ltnS => le_ki; rewrite perm_mx_bit; apply: off.
by rewrite inE permK (ltnNge i k) le_ki andbF.
Qed.

(** Claims: symbolic.count. *)
Theorem contention_bit_permutation s b i : contention (perm_mx s) b i =
  if moves (perm_mx s) b i
  then (2 ^ #|[set m : 'I_n | (m < i)%N && (i < (s^-1)%g m)%N]|)%N else 0%N.
Proof. by rewrite contention_ker ker_bit_permutation card_supported. Qed.

(* Whatever is added: the natural order is free of contention. *)
(** Claims: symbolic.free. *)
Theorem free_bit_permutation s :
  (forall b i, (contention (perm_mx s) b i <= 1)%N) <-> (forall m, ((s^-1)%g m <= m.+1)%N).
Proof.
split=> [free m|small b i]; last first.
  rewrite contention_bit_permutation; case: ifP => // _.
  rewrite -/(behind s i) (_ : behind s i = set0) ?cards0 //; apply/setP=> m; rewrite !inE.
  apply/negbTE/negP=> /andP[lt_mi lt_it].
  by have := leq_ltn_trans lt_mi (leq_trans lt_it (small m)); rewrite ltnn.
rewrite leqNgt; apply/negP=> gt_tm.
have lt_in : (m.+1 < n)%N by apply: leq_trans gt_tm _; apply: ltnW.
have := free (const_mx 1) (Ordinal lt_in); rewrite contention_bit_permutation.
have -> : moves (perm_mx s) (const_mx 1) (Ordinal lt_in).
  by apply/existsP; exists 0; rewrite image_bit mulmx0 !mxE add0r eq_sym oner_neq0.
have inb : m \in behind s (Ordinal lt_in) by rewrite inE /= ltnSn gt_tm.
rewrite -/(behind s _) (cardsD1 m) inb add1n expnS; move: #|_| => e.
by have pos : (0 < 2 ^ e)%N; [rewrite expn_gt0 | lia].
Qed.

(** ** Closed forms *)

Lemma card_interval (u v : nat) : (v <= n)%N -> #|[set m : 'I_n | (u <= m < v)%N]| = (v - u)%N.
Proof.
move=> le_vn; have -> : [set m : 'I_n | (u <= m < v)%N] = below n v :\: below n u.
  by apply/setP=> m; rewrite !inE -leqNgt.
have -> : below n v :\: below n u = below n v :\: below n (minn u v).
  by apply/setP=> m; rewrite !inE; lia.
rewrite cardsD (_ : below n v :&: below n (minn u v) = below n (minn u v)); last first.
  by apply/setP=> m; rewrite !inE; lia.
by rewrite !card_below; lia.
Qed.

(** Claims: symbolic.reversal. *)
Theorem contention_bit_reversal s b i : (forall m, (s m = n.-1 - m :> nat)%N) ->
  contention (perm_mx s) b i =
  if moves (perm_mx s) b i then (2 ^ minn i (n.-1 - i))%N else 0%N.
Proof.
move=> rev; rewrite contention_bit_permutation; case: ifP => // _; congr (2 ^ _)%N.
have revV m : ((s^-1)%g m = n.-1 - m :> nat)%N.
  have := rev ((s^-1)%g m); rewrite permKV; have := ltn_ord ((s^-1)%g m); have := ltn_ord m; lia.
rewrite -/(behind s i) (_ : behind s i = [set m : 'I_n | (0 <= m < minn i (n.-1 - i))%N]).
  by rewrite card_interval ?subn0 //; have := ltn_ord i; lia.
by apply/setP=> m; rewrite !inE revV; have := ltn_ord i; have := ltn_ord m; lia.
Qed.

(** Claims: symbolic.shift. *)
Theorem contention_shift s b i k : (0 < k < n)%N ->
  (forall m, (s^-1)%g m = (if m + k < n then m + k else m + k - n)%N :> nat) ->
  contention (perm_mx s) b i =
  if moves (perm_mx s) b i then (2 ^ minn (minn i (n.-1 - i)) (minn k.-1 (n - k)))%N else 0%N.
Proof.
move=> k_in up; rewrite contention_bit_permutation; case: ifP => // _; congr (2 ^ _)%N.
rewrite -/(behind s i) (_ : behind s i = [set m : 'I_n | (i.+1 - k <= m < minn i (n - k))%N]).
  by rewrite card_interval; have := ltn_ord i; lia.
apply/setP=> m; rewrite !inE up; have := ltn_ord i; have := ltn_ord m.
by case: ifP; lia.
Qed.

(** ** Triangles *)

Section Triangles.

Variables (L U : 'M['F_2]_n).
Hypotheses (upper : forall j k : 'I_n, (k < j)%N -> U j k = 0) (unitU : forall j, U j j = 1).
Hypotheses (lower : forall j k : 'I_n, (j < k)%N -> L j k = 0) (unitL : forall j, L j j = 1).

(* The largest bit of x is one of U x. *)
Lemma upper_largest (x : vec n) m : x m 0 != 0 -> (forall k : 'I_n, x k 0 != 0 -> (k <= m)%N) ->
  (U *m x) m 0 = x m 0.
Proof.
move=> xm top; rewrite mxE (bigD1 m) //= unitU mul1r big1 ?addr0 // => k nkm.
have [lt_km|le_mk] := ltnP k m; first by rewrite upper ?mul0r.
have lt_mk : (m < k)%N by rewrite ltn_neqAle le_mk andbT eq_sym.
have [->|xk] := eqVneq (x k 0) 0; first by rewrite mulr0.
by have := top k xk; rewrite leqNgt lt_mk.
Qed.

Lemma largest_bit (x : vec n) m0 : x m0 0 != 0 ->
  exists m, [/\ x m 0 != 0, (m0 <= m)%N & forall k : 'I_n, x k 0 != 0 -> (k <= m)%N].
Proof.
move=> xm0; case: (@arg_maxnP _ m0 (fun m => x m 0 != 0) val xm0) => m xm top.
by exists m; split=> // ; apply: top.
Qed.

Lemma upper_support (x : vec n) (r : nat) :
  (forall k, k \notin below n r -> x k 0 = 0) <->
  (forall k, k \notin below n r -> (U *m x) k 0 = 0).
Proof.
split=> off k kS; last first.
  apply/eqP/negPn/negP=> xk; have [m [xm le_km top]] := largest_bit xk.
  have mS : m \notin below n r by move: kS; rewrite !inE -!leqNgt => /leq_trans; apply.
  by have := off m mS; rewrite upper_largest // => x0; rewrite x0 eqxx in xm.
rewrite mxE big1 // => j _; have [lt_jr|le_rj] := ltnP j r.
  by rewrite upper ?mul0r //; move: kS; rewrite inE -leqNgt; apply: leq_trans.
by rewrite off ?mulr0 // inE -leqNgt.
Qed.

Lemma lower_rows (z : vec n) (r : nat) :
  (forall k, k \in below n r -> (L *m z) k 0 = 0) <-> (forall k, k \in below n r -> z k 0 = 0).
Proof.
have row k : (L *m z) k 0 = z k 0 + \sum_(j < n | (j < k)%N) L k j * z j 0.
  rewrite mxE (bigD1 k) //= unitL mul1r; congr (_ + _).
  rewrite [RHS]big_mkcond [LHS]big_mkcond; apply: eq_bigr => j _.
  have [->|njk] := eqVneq j k; first by rewrite ltnn.
  have [//|le_kj] := ltnP j k; rewrite lower ?mul0r //.
  by rewrite ltn_neqAle le_kj andbT eq_sym.
split=> rows k; last first.
  move=> kS; rewrite row rows // add0r big1 // => j lt_jk; rewrite rows ?mulr0 //.
  by move: kS; rewrite !inE; apply: ltn_trans.
have [N le_kN] := ubnP (val k); elim: N k le_kN => // N IH k; rewrite ltnS => le_kN kS.
have := rows k kS; rewrite row big1 ?addr0 // => j lt_jk; rewrite IH ?mulr0 //.
  exact: leq_trans lt_jk le_kN.
by move: kS; rewrite !inE; apply: ltn_trans.
Qed.

Lemma upper_injective : injective (fun x : vec n => U *m x).
Proof.
move=> x y /= eqU; apply/eqP; rewrite -subr_eq0; apply/negP=> /negP d0.
have [m0 dm0] := vec_exists_bit d0; have [m [dm _ top]] := largest_bit dm0.
by have := upper_largest dm top; rewrite mulmxBr eqU subrr mxE => d; rewrite -d eqxx in dm.
Qed.

(* Triangles on both sides leave every load as it is, whatever is added. *)
(** Claims: symbolic.triangle (L A U for A). *)
Theorem ker_triangles (A : 'M['F_2]_n) i :
  #|ker (L *m A *m U) (below n i.+1) (below n i)| = #|ker A (below n i.+1) (below n i)|.
Proof.
transitivity #|(fun x : vec n => U *m x) @^-1: ker A (below n i.+1) (below n i)|; last first.
  by rewrite on_card_preimset //; apply/onW_bij/injF_bij/upper_injective.
apply: eq_card => x; rewrite [in RHS]inE; apply/kerP/kerP=> -[off rows]; split.
- exact: (proj1 (upper_support x i) off).
- apply: (proj1 (lower_rows (A *m (U *m x)) i.+1)) => k kR.
  by rewrite !mulmxA rows.
- exact: (proj2 (upper_support x i) off).
move=> k kR; rewrite -!mulmxA.
exact: (proj2 (lower_rows (A *m (U *m x)) i.+1) rows k kR).
Qed.

(** Claims: symbolic.triangle. *)
Theorem free_upper_triangle b i : (contention U b i <= 1)%N.
Proof.
rewrite contention_ker; case: ifP => // _.
have /eqP-> // : #|ker U (below n i.+1) (below n i)| == 1%N.
rewrite card_ker1; apply/subsetP=> x /kerP[off rows]; rewrite inE; apply/eqP.
apply/eqP/negP => /negP x0; have [m0 xm0] := vec_exists_bit x0.
have [m [xm _ top]] := largest_bit xm0.
have lt_mi : (m < i)%N.
  by rewrite ltnNge; apply/negP=> le_im; move: xm; rewrite off ?eqxx // inE -leqNgt.
have := rows m; rewrite inE ltnS ltnW // upper_largest // => /(_ isT) x_0.
by rewrite x_0 eqxx in xm.
Qed.

End Triangles.

End BitPermutations.

(** ** Sums from bit 0: y_k = x_0 + ... + x_(s k) *)

Section Sums.

Variables (n : nat) (A : 'M['F_2]_n) (s : 'S_n).
Hypothesis sums : forall k j : 'I_n, A k j = (j <= s k)%N%:R.
Implicit Types (b x : vec n) (i m k : 'I_n).

Let prefix x (m : nat) := \sum_(j < n | (j <= m)%N) x j 0.
Let prefixes x : vec n := \col_m prefix x m.

Lemma sums_row x k : (A *m x) k 0 = prefix x (s k).
Proof.
rewrite mxE /prefix [RHS]big_mkcond; apply: eq_bigr => j _.
by rewrite sums; case: (j <= s k)%N; rewrite ?mul1r ?mul0r.
Qed.

Lemma prefix_step x k : x k 0 = prefix x k - (if (k : nat) == 0%N then 0 else prefix x k.-1).
Proof.
rewrite /prefix (bigD1 k) //=.
have -> : \sum_(j < n | (j <= k)%N && (j != k)) x j 0
  = (if (k : nat) == 0%N then 0 else \sum_(j < n | (j <= k.-1)%N) x j 0).
  case: ifP => [/eqP k0|k0].
    rewrite big1 // => j /andP[le_j /negP[]]; apply/eqP/val_inj; move: le_j; rewrite k0 leqn0.
    by move/eqP=> /= ->; rewrite k0.
  by apply: eq_bigl => j; rewrite -val_eqE /=; apply/idP/idP; lia.
by rewrite addrK.
Qed.

Lemma prefixes_injective : injective prefixes.
Proof.
move=> x y eq_xy; apply/matrixP=> k u; rewrite (ord1 u) {u} !prefix_step.
have same (m : 'I_n) : prefix x m = prefix y m.
  by have := congr1 (fun z : vec n => z m 0) eq_xy; rewrite !mxE.
rewrite same; case: ifP => // /negbT; rewrite -lt0n => k_pos.
have lt_kn : (k.-1 < n)%N by apply: leq_ltn_trans (leq_pred k) _.
by have := same (Ordinal lt_kn) => /= ->.
Qed.

(* Some row up to i sums all bits below i. *)
Lemma long_row i : exists2 k : 'I_n, (k <= i)%N & (i <= (s k).+1)%N.
Proof.
have [/existsP[k /andP[le_ki long]]|/existsPn none] :=
  boolP [exists k : 'I_n, (k <= i)%N && (i <= (s k).+1)%N]; first by exists k.
have : s @: below n i.+1 \subset below n i.
  apply/subsetP=> v /imsetP[k]; rewrite inE ltnS => le_ki ->.
  by have := none k; rewrite le_ki /= -ltnNge inE => /ltnW.
move/subset_leq_card; rewrite card_imset; last exact: perm_inj.
by rewrite !card_below ?ltnn // ltnW.
Qed.

Lemma ker_sums i : ker A (below n i.+1) (below n i) =
  prefixes @^-1: ker 1%:M set0 [set m : 'I_n | (m.+1 < i)%N && (i < (s^-1)%g m)%N].
Proof.
apply/setP=> x; rewrite [in RHS]inE; apply/kerP/kerP=> -[off rows]; split.
- move=> m; rewrite inE negb_and -!leqNgt mxE.
  have zero k : (k <= i)%N -> prefix x (s k) = 0.
    by move=> le_ki; rewrite -sums_row rows // inE ltnS.
  have all (v : nat) : (i <= v.+1)%N -> prefix x v = \sum_(j < n) x j 0.
    move=> le_iv; rewrite /prefix big_mkcond; apply: eq_bigr => j _; case: ifP => // /negbT.
    by rewrite -ltnNge => lt_vj; rewrite off // inE -leqNgt; apply: leq_trans le_iv _.
  case/orP=> [le_im|le_ti]; last by have := zero _ le_ti; rewrite permKV.
  have [k le_ki long] := long_row i.
  by rewrite all // -(all (s k)) // zero.
- by move=> k; rewrite inE.
- have zero m : (i <= m.+1)%N || ((s^-1)%g m <= i)%N -> prefix x m = 0.
    by move=> out; have := off m; rewrite inE negb_and -!leqNgt mxE => /(_ out).
  move=> k; rewrite inE -leqNgt => le_ik; rewrite prefix_step zero ?(leq_trans le_ik) //.
  case: ifP => [|/negbT]; first by rewrite subr0.
  rewrite -lt0n => k_pos; have lt_kn : (k.-1 < n)%N by apply: leq_ltn_trans (leq_pred k) _.
  by have := zero (Ordinal lt_kn) => /= ->; rewrite ?subr0 // prednK // le_ik.
move=> k; rewrite inE ltnS => le_ki; rewrite sums_row.
by have := off (s k); rewrite inE permK negb_and -!leqNgt le_ki orbT mxE => /(_ isT).
Qed.

(** Claims: symbolic.sums. *)
Theorem contention_sums b i : contention A b i =
  if moves A b i
  then (2 ^ #|[set m : 'I_n | (m.+1 < i)%N && (i < (s^-1)%g m)%N]|)%N else 0%N.
Proof.
rewrite contention_ker; case: ifP => // _; rewrite ker_sums.
rewrite on_card_preimset ?card_supported //.
exact: (onW_bij _ (injF_bij prefixes_injective)).
Qed.

End Sums.

(** ** Orders along the cycles *)

Section Orders.

Variables (n : nat) (s p : 'S_n).
Implicit Types (b : vec n) (i m k : 'I_n).

(* y'_k = x'_(q k) for q = p s p^-1, if x'_k = x_(p k). *)
Lemma free_along (succ : nat -> nat) :
  (forall m, (s^-1)%g m = succ m :> nat) ->
  (forall m k, p k = succ (p m) :> nat -> (k <= m.+1)%N) ->
  forall b i, (contention (perm_mx (p * s * p^-1)%g) b i <= 1)%N.
Proof.
move=> succE small; apply: (proj2 (free_bit_permutation _)) => m.
by apply: small; rewrite -succE !invMg invgK !permM permKV.
Qed.

(** Claims: symbolic.order (bit reversal). *)
Theorem order_reversal : (forall m, s m = (n.-1 - m)%N :> nat) ->
  (forall k, p k = (if odd k then n.-1 - k./2 else k./2)%N :> nat) ->
  forall b i, (contention (perm_mx (p * s * p^-1)%g) b i <= 1)%N.
Proof.
move=> rev along b i; apply: (free_along (succ := fun m : nat => (n.-1 - m)%N)) => [m|m k].
  have := rev ((s^-1)%g m); rewrite permKV; have := ltn_ord ((s^-1)%g m); have := ltn_ord m; lia.
rewrite !along; have := ltn_ord k; have := ltn_ord m.
by case: (boolP (odd k)); case: (boolP (odd m)); lia.
Qed.

(** Claims: symbolic.order (square transposition). *)
Theorem order_square h : n = h.*2 ->
  (forall m, (s^-1)%g m = (if m < h then m + h else m - h)%N :> nat) ->
  (forall k, p k = (if odd k then k./2 + h else k./2)%N :> nat) ->
  forall b i, (contention (perm_mx (p * s * p^-1)%g) b i <= 1)%N.
Proof.
move=> nE up along b i.
apply: (free_along (succ := fun m : nat => (if m < h then m + h else m - h)%N)) => [m|m k].
  exact: up.
rewrite !along; have := ltn_ord k; have := ltn_ord m.
by case: (boolP (odd k)); case: (boolP (odd m)) => /=; case: (ltnP _ h); lia.
Qed.

End Orders.
