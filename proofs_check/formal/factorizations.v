(* Denes: a cycle of n bits is in just n^(n-2) ways a product of n - 1 exchanges of two bits.

   An exchange joins two cycles or cuts one, so n - 1 of them that make one cycle of n join two
   each time. Weigh a permutation by the product of the sizes of its cycles. Joining cycles of sizes
   a and b by one of a b exchanges turns the weight w into w (a + b) / (a b); so all exchanges that
   join two of r cycles have together w n (r - 1). After n - 1 of them this is n^(n-1) (n-1)!,
   shared by (n-1)! cycles of weight n, which are conjugate and so have the same number of products.

   exchanged_bits l == the product of the exchanges of a list of pairs of bits, the first one first
   factorizations k c == the lists of k pairs i < j whose exchanges have the product c
   shuffle == bit k goes to k+1, the last to 0 *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.
From lcc Require Import utility.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory.
Local Open Scope group_scope.

(** ** Orbits of a permutation that an exchange joins *)

Section Orbits.

Variable T : finType.
Implicit Types (s : {perm T}) (x y z : T) (A : {set T}).

Lemma porbit_eq s x y : (porbit s x == porbit s y) = (y \in porbit s x).
Proof. by rewrite eq_porbit_mem porbit_sym. Qed.

Lemma tperm_iter s x y (k : nat) : y \notin porbit s x -> (k < #|porbit s y|)%N ->
  iter k.+1 (tperm x y * s) x = iter k.+1 s y.
Proof.
move=> xy; elim: k => [_|k IH kb]; first by rewrite /= permM tpermL.
rewrite iterS IH; last exact: ltnW.
rewrite [RHS]iterS permM; congr (s _).
have inb : iter k.+1 s y \in porbit s y by rewrite -permX mem_porbit.
rewrite tpermD //.
  by apply: contraNneq xy => xE; rewrite porbit_sym xE.
apply/eqP=> yE; have := uniq_traject_porbit s y; rewrite -(ltn_predK kb) /=.
case/andP=> /negP[]; apply/trajectP; exists k; last by rewrite -iterSr.
by rewrite -ltnS (ltn_predK kb).
Qed.

Lemma porbit_joined s x y : y \notin porbit s x ->
  porbit (tperm x y * s) x = porbit s x :|: porbit s y.
Proof.
move=> xy; pose t := tperm x y * s.
have half u v : v \notin porbit s u -> porbit s v \subset porbit (tperm u v * s) u.
  move=> uv; apply/subsetP=> z; rewrite porbit_traject => /trajectP[[|k] kb ->] /=.
    have b0 : (0 < #|porbit s v|)%N by apply: leq_ltn_trans kb.
    rewrite -[X in X \in _](iter_porbit s v) -(prednK b0) -(tperm_iter uv) ?ltn_predL //.
    by rewrite -permX mem_porbit.
  rewrite -iterS -(tperm_iter uv) ?(ltnW kb) // -permX; exact: mem_porbit.
have yx : x \notin porbit s y by rewrite porbit_sym.
have sub_y := half _ _ xy; have := half _ _ yx; rewrite tpermC => sub_x.
have yt : y \in porbit t x by apply: (subsetP sub_y); apply: porbit_id.
have same : porbit t y = porbit t x by apply/eqP; rewrite porbit_eq porbit_sym.
apply/eqP; rewrite eqEsubset andbC subUset sub_y -same sub_x /=.
rewrite same; apply/subsetP=> z /porbitP[k ->]; rewrite permX.
elim: k => [|k IH]; first by rewrite inE porbit_id.
rewrite iterS permM; have closed u v : u \in porbit s v -> s u \in porbit s v.
  by move=> /porbitP[i ->]; rewrite -permM -expgSr mem_porbit.
case: tpermP IH => [_|_|_ _]; rewrite ?inE => IH.
- by apply/orP; right; apply/closed/porbit_id.
- by apply/orP; left; apply/closed/porbit_id.
by case/orP: IH => /closed ->; rewrite ?orbT.
Qed.

Lemma porbit_apart s x y z : z \notin porbit s x -> z \notin porbit s y ->
  porbit (tperm x y * s) z = porbit s z.
Proof.
move=> zx zy; have same k : iter k (tperm x y * s) z = iter k s z.
  elim: k => // k IH; rewrite !iterS IH permM; congr (s _).
  have inz : iter k s z \in porbit s z by rewrite -permX mem_porbit.
  by rewrite tpermD //; [apply: contraNneq zx|apply: contraNneq zy] => ->; rewrite porbit_sym.
by apply/setP=> u; apply/porbitP/porbitP=> -[k ->]; exists k; rewrite !permX same.
Qed.

Lemma porbits_joined s x y : y \notin porbit s x -> porbits (tperm x y * s) =
  (porbit s x :|: porbit s y) |: (porbits s :\ porbit s x) :\ porbit s y.
Proof.
move=> xy; have t_x := porbit_joined xy; set t := tperm x y * s in t_x *.
have joined z : z \in porbit s x :|: porbit s y -> porbit t z = porbit s x :|: porbit s y.
  by rewrite -t_x => zt; apply/eqP; rewrite porbit_eq porbit_sym.
have apart z : z \notin porbit s x :|: porbit s y -> porbit t z = porbit s z.
  by rewrite inE negb_or => /andP[zx zy]; apply: porbit_apart.
apply/setP=> A; rewrite !inE; apply/imsetP/idP=> [[z _ ->]|].
  have [/joined ->|/[dup] /apart -> ] := boolP (z \in porbit s x :|: porbit s y).
    by rewrite eqxx.
  rewrite inE negb_or => /andP[zx zy]; apply/orP; right.
  by rewrite !porbit_eq [y \in _]porbit_sym zy [x \in _]porbit_sym zx /=; apply: imset_f.
case/orP=> [/eqP ->|/and3P[Ay Ax /imsetP[z _ AE]]]; first by exists x.
exists z => //; rewrite apart // inE negb_or; rewrite AE !porbit_eq in Ax Ay.
by rewrite [z \in porbit s x]porbit_sym Ax porbit_sym Ay.
Qed.

Local Open Scope nat_scope.

Definition weight s := \prod_(A in porbits s) #|A|.

(* Joining two cycles. *)
Lemma weight_joined s x y : y \notin porbit s x ->
  weight (tperm x y * s)%g * (#|porbit s x| * #|porbit s y|)
  = weight s * (#|porbit s x| + #|porbit s y|).
Proof.
move=> xy; set X := porbit s x; set Y := porbit s y.
have XY : X != Y by rewrite porbit_eq.
have disj : [disjoint X & Y].
  apply/pred0P=> z /=; apply/negP=> /andP[zX zY]; case/eqP: XY.
  by apply/eqP; rewrite -(eqP (_ : porbit s z == X)) ?eq_porbit_mem.
have inX : X \in porbits s by apply: imset_f.
have inY : Y \in porbits s :\ X by rewrite !inE eq_sym XY imset_f.
have fresh : X :|: Y \notin (porbits s :\ X) :\ Y.
  rewrite !inE; apply/negP=> /and3P[_ U /imsetP[z _ UE]]; case/eqP: U.
  have xU : x \in porbit s z by rewrite -UE inE porbit_id.
  by rewrite UE; apply/eqP; rewrite eq_porbit_mem porbit_sym.
rewrite /weight porbits_joined // big_setU1 // (big_setD1 X inX) (big_setD1 Y inY) /=.
have -> : #|X :|: Y| = (#|X| + #|Y|)%N by rewrite cardsU (disjoint_setI0 disj) cards0 subn0.
by rewrite -/X -/Y mulnACA [RHS]mulnAC mulnA; lia.
Qed.

(* Every bit has its share of its cycle. *)
Lemma sum_own_shares s x : (\sum_(y in porbit s x) (#|porbit s y|%:R)^-1 = 1 :> rat)%R.
Proof.
rewrite (eq_bigr (fun=> (#|porbit s x|%:R)^-1)%R) => [|y yx]; last first.
  by rewrite (_ : porbit s y = porbit s x) //; apply/eqP; rewrite eq_porbit_mem.
rewrite sumr_const -[LHS]mulr_natr mulVf // pnatr_eq0 -lt0n.
by apply/card_gt0P; exists x; apply: porbit_id.
Qed.

Lemma sum_shares s : (\sum_x (#|porbit s x|%:R)^-1 = #|porbits s|%:R :> rat)%R.
Proof.
rewrite (partition_big_imset (porbit s)) /= -sum1_card natr_sum.
apply: eq_bigr => A /imsetP[x _ ->].
by rewrite -[RHS](sum_own_shares s x); apply: eq_bigl => y; rewrite eq_porbit_mem.
Qed.

Lemma sum_other_shares s x :
  (\sum_(y | y \notin porbit s x) (#|porbit s y|%:R)^-1 = #|porbits s|%:R - 1 :> rat)%R.
Proof.
rewrite -(sum_shares s) [in RHS](bigID (mem (porbit s x))) /= sum_own_shares.
by rewrite addrAC subrr add0r.
Qed.

(* All exchanges that join two cycles, counted from either end. *)
Lemma weights_joined s :
  \sum_x \sum_(y | y \notin porbit s x) weight (tperm x y * s)%g
  = (2 * (weight s * (#|T| * #|porbits s|.-1)))%N.
Proof.
have [T0|T1] := posnP #|T|.
  rewrite T0 mul0n !muln0; apply: big1 => x; have := card0_eq T0 x; by rewrite inE.
apply/eqP; rewrite -(eqr_nat [numDomainType of rat]) !natrM natr_sum.
have cards x : (#|porbit s x|%:R != 0 :> rat)%R.
  by rewrite pnatr_eq0 -lt0n; apply/card_gt0P; exists x; apply: porbit_id.
have share x y : y \notin porbit s x -> ((weight (tperm x y * s))%:R
    = (weight s)%:R * ((#|porbit s x|%:R)^-1 + (#|porbit s y|%:R)^-1) :> rat)%R.
  move=> xy; have /(congr1 (fun k => k%:R : rat)%R) := weight_joined xy.
  rewrite !natrM natrD => E; apply: (mulIf (mulf_neq0 (cards x) (cards y))); rewrite E.
  by rewrite -mulrA mulrDl mulKf // mulrCA mulVf // mulr1 addrC.
have p0 : (0 < #|porbits s|)%N.
  by have /card_gt0P[x _] := T1; apply/card_gt0P; exists (porbit s x); apply: imset_f.
have ends : (\sum_x \sum_(y | y \notin porbit s x) (#|porbit s y|%:R)^-1
    = #|T|%:R * (#|porbits s|%:R - 1) :> rat)%R.
  rewrite (eq_bigr (fun=> #|porbits s|%:R - 1)%R) => [|x _]; last exact: sum_other_shares.
  by rewrite sumr_const -mulr_natl.
have both : (\sum_x \sum_(y | y \notin porbit s x) (#|porbit s x|%:R)^-1
    = #|T|%:R * (#|porbits s|%:R - 1) :> rat)%R.
  rewrite -ends (exchange_big_dep xpredT) //=; apply: eq_bigr => y _; apply: eq_bigl => x.
  by rewrite porbit_sym.
rewrite -[#|porbits s|.-1]subn1 natrB // (eq_bigr (fun x => (weight s)%:R *
    (\sum_(y | y \notin porbit s x) (#|porbit s x|%:R)^-1 +
     \sum_(y | y \notin porbit s x) (#|porbit s y|%:R)^-1))%R) => [|x _].
  rewrite -mulr_sumr big_split /= both ends -mulr2n mulrnAr; apply/eqP.
  by rewrite [RHS]mulr_natl.
rewrite natr_sum -big_split mulr_sumr; apply: eq_bigr => y xy; exact: share.
Qed.

End Orbits.

(** ** Counting products of exchanges *)

Section Counting.

Variable m : nat.
Local Notation n := m.+1.
Implicit Types (c s g : 'S_n) (x y : 'I_n) (p : 'I_n * 'I_n) (k : nat).

Definition exchanged_bits (l : seq ('I_n * 'I_n)) : 'S_n :=
  foldr (fun p s => tperm p.1 p.2 * s) 1 l.

Definition factorizations k c : {set k.-tuple ('I_n * 'I_n)} :=
  [set l : k.-tuple _ | all (fun p : 'I_n * 'I_n => p.1 < p.2)%N l && (exchanged_bits l == c)].

Local Open Scope nat_scope.

Lemma tperm_eq x y s c : ((tperm x y * s)%g == c) = (s == (tperm x y * c)%g).
Proof.
by rewrite -(inj_eq (mulgI (tperm x y))) mulgA tperm2 mul1g.
Qed.

Lemma count_factors k c : #|factorizations k.+1 c|
  = \sum_(p : 'I_n * 'I_n | p.1 < p.2) #|factorizations k (tperm p.1 p.2 * c)%g|.
Proof.
rewrite -sum1_card (partition_big (fun l : k.+1.-tuple ('I_n * 'I_n) => thead l)
  (fun p => p.1 < p.2)) => [|l]; last first.
  by case/tupleP: l => q l; rewrite inE theadE /= => /andP[/andP[]].
apply: eq_bigr => p lt_p.
rewrite -(card_imset _ (_ : injective (fun l : k.-tuple ('I_n * 'I_n) => [tuple of p :: l]))).
  rewrite -sum1_card; apply: eq_bigl => l; case/tupleP: l => q l; rewrite !inE theadE /=.
  apply/idP/imsetP=> [/andP[/andP[/andP[_ lt_l] prod] /eqP qp]|[l' + /(congr1 val) []]].
    by exists l; rewrite ?qp // inE lt_l -tperm_eq -qp.
  rewrite inE => /andP[lt_l prod] -> /val_inj ->; rewrite eqxx lt_p lt_l andbT /=.
  by rewrite tperm_eq.
by move=> l l' /(congr1 val) [] /val_inj.
Qed.

(* Sums over unordered pairs. *)
Lemma sum_pairs (P : rel 'I_n) (F : 'I_n -> 'I_n -> nat) :
  (forall x, ~~ P x x) -> (forall x y, P x y = P y x) -> (forall x y, F x y = F y x) ->
  \sum_x \sum_(y | P x y) F x y = 2 * \sum_(p : 'I_n * 'I_n | (p.1 < p.2) && P p.1 p.2) F p.1 p.2.
Proof.
move=> irr symP symF; rewrite (pair_big_dep xpredT P F) /= (bigID (fun p => p.1 < p.2)) /=.
rewrite mul2n -addnn; congr (_ + _); first by apply: eq_bigl => p; rewrite andbC.
rewrite (reindex (fun p : 'I_n * 'I_n => (p.2, p.1))) /=; last first.
  by exists (fun p : 'I_n * 'I_n => (p.2, p.1)) => -[x y].
apply: eq_big => [[x y]|[x y] _] /=; last exact: symF.
rewrite symP -leqNgt leq_eqVlt andbC; case: eqP => [/val_inj ->|//].
by rewrite (negPf (irr y)) ltnn.
Qed.

Lemma porbits_one : #|porbits (1%g : 'S_n)| = n /\ weight (1%g : 'S_n) = 1.
Proof.
have one x : porbit (1%g : 'S_n) x = [set x].
  apply/setP=> z; rewrite inE; apply/porbitP/eqP=> [[i ->]|->]; first by rewrite expg1n perm1.
  by exists 0; rewrite expg0 perm1.
split; last by apply: big1 => A /imsetP[x _ ->]; rewrite one cards1.
rewrite -[RHS]card_ord -(card_imset predT (@set1_inj [finType of 'I_n])).
by apply: eq_card => A; apply/imsetP/imsetP=> -[x _ ->]; exists x; rewrite ?one.
Qed.

Lemma porbits_exchange x y s : x != y ->
  #|porbits (tperm x y * s)%g| + (x \notin porbit s y).*2 = #|porbits s|.+1.
Proof. by move=> xy; have /= := porbits_mul_tperm s x y; rewrite xy addn1. Qed.

(* k exchanges leave n - k cycles at least. *)
Lemma cycles_left k c : 0 < #|factorizations k c| -> n <= #|porbits c| + k.
Proof.
case/card_gt0P=> l; rewrite inE => /andP[+ /eqP <-].
rewrite -[X in _ <= _ + X](size_tuple l); elim: {l}(val l) => /= [|p l IH].
  by rewrite porbits_one.1 addn0.
case/andP=> lt_p /IH le_n; have ne_p : p.1 != p.2 by rewrite -val_eqE /= neq_ltn lt_p.
have := porbits_exchange (exchanged_bits l) ne_p; case: (_ \notin _); rewrite ?addn0 //=; lia.
Qed.

Definition weighted k := \sum_(c | #|porbits c| == n - k) #|factorizations k c| * weight c.

Lemma joins c : \sum_(p : 'I_n * 'I_n | (p.1 < p.2) && (p.2 \notin porbit c p.1))
  weight (tperm p.1 p.2 * c)%g = weight c * (n * #|porbits c|.-1).
Proof.
have := weights_joined c; rewrite card_ord (sum_pairs (P := fun x y => y \notin porbit c x)) //.
- by move/eqP; rewrite eqn_pmul2l // => /eqP.
- by move=> x; rewrite porbit_id.
- by move=> x y; rewrite porbit_sym.
by move=> x y; rewrite tpermC.
Qed.

Lemma weightedS k : k < n -> weighted k.+1 = weighted k * (n * (m - k)).
Proof.
move=> kn; rewrite /weighted big_distrl /=.
under eq_bigr => c _ do rewrite count_factors big_distrl /=.
rewrite exchange_big /=.
transitivity (\sum_(p : 'I_n * 'I_n | p.1 < p.2)
    \sum_(c | #|porbits (tperm p.1 p.2 * c)%g| == n - k.+1)
    #|factorizations k c| * weight (tperm p.1 p.2 * c)%g).
  apply: eq_bigr => p _; rewrite (reindex_inj (mulgI (tperm p.1 p.2))) /=.
  by apply: eq_bigr => c _; rewrite mulgA tperm2 mul1g.
rewrite (exchange_big_dep xpredT) //= [RHS]big_mkcond /=; apply: eq_bigr => c _.
rewrite -big_distrr /=; have [->|] := posnP #|factorizations k c|.
  by rewrite !mul0n if_same.
move=> /cycles_left le_n; have [cE|cE] := eqVneq #|porbits c| (n - k).
  rewrite -mulnA; congr (_ * _); rewrite (_ : m - k = #|porbits c|.-1); last by rewrite cE; lia.
  rewrite -joins; apply: eq_bigl => p; case: ltnP => //= lt_p.
  have ne_p : p.1 != p.2 by rewrite -val_eqE /= neq_ltn lt_p.
  have := porbits_exchange c ne_p; rewrite cE porbit_sym.
  by case: (_ \notin _) => /=; lia.
rewrite big1 ?muln0 // => p /andP[lt_p /eqP pE].
have ne_p : p.1 != p.2 by rewrite -val_eqE /= neq_ltn lt_p.
have := porbits_exchange c ne_p; move: cE le_n; rewrite pE; case: (_ \notin _) => /=; lia.
Qed.

Lemma weightedE k : k <= n -> weighted k = n ^ k * m ^_ k.
Proof.
elim: k => [_|k IH kn]; last first.
  by rewrite weightedS // IH ?(ltnW kn) // expnSr ffactnSr; lia.
rewrite expn0 ffactn0 /weighted subn0 (bigD1 1%g) ?porbits_one.1 //= porbits_one.2 muln1.
rewrite [X in X + _](_ : _ = 1) ?big1 // => [c /andP[_ c1]|].
  rewrite (_ : #|factorizations 0 c| = 0) //; apply/eqP; rewrite cards_eq0; apply/eqP/setP=> l.
  rewrite !inE tuple0 /=.
  by apply/negbTE; rewrite eq_sym.
apply/eqP/cards1P; exists [tuple]; apply/setP=> l; rewrite !inE tuple0 /= eqxx.
by apply/esym/eqP.
Qed.

End Counting.

(** ** Cycles of all bits *)

Section Cycles.

Variable m : nat.
Local Notation n := m.+1.
Implicit Types (c d s g : 'S_n) (x y z : 'I_n) (k : nat).

Local Open Scope nat_scope.

Lemma one_cycle c : #|porbits c| = 1 -> forall x, porbit c x = setT.
Proof.
move/eqP/cards1P=> [A oneA] x; have inA y : porbit c y = A.
  by apply/set1P; rewrite -oneA imset_f.
by apply/setP=> y; rewrite inE inA -(inA y) porbit_id.
Qed.

Lemma weight_cycle c : #|porbits c| = 1 -> weight c = n.
Proof.
move=> c1; have /eqP/cards1P[A oneA] := c1; rewrite /weight oneA big_set1.
have : A \in porbits c by rewrite oneA set11.
by case/imsetP=> x _ ->; rewrite one_cycle // cardsT card_ord.
Qed.

Lemma cycle_iter c : #|porbits c| = 1 -> forall x, exists2 i, i < n & x = iter i c ord0.
Proof.
move=> c1 x; have : x \in porbit c ord0 by rewrite one_cycle // inE.
rewrite porbit_traject => /trajectP[i]; rewrite one_cycle // cardsT card_ord => lt_i ->.
by exists i.
Qed.

(* They are conjugate. *)
Lemma cycles_conjugate c d : #|porbits c| = 1 -> #|porbits d| = 1 -> exists g, d = (c ^ g)%g.
Proof.
move=> c1 d1; have size_c : #|porbit c ord0| = n by rewrite one_cycle // cardsT card_ord.
have size_d : #|porbit d ord0| = n by rewrite one_cycle // cardsT card_ord.
have Uc : uniq (traject c ord0 n) by have := uniq_traject_porbit c ord0; rewrite size_c.
have Ud : uniq (traject d ord0 n) by have := uniq_traject_porbit d ord0; rewrite size_d.
pose f x := iter (index x (traject c ord0 n)) d ord0.
have fE i : i < n -> f (iter i c ord0) = iter i d ord0.
  move=> lt_i; rewrite /f; congr (iter _ d _); rewrite -(nth_traject c lt_i).
  by rewrite index_uniq ?size_traject.
have f_inj : injective f.
  move=> x y; have [i lt_i ->] := cycle_iter c1 x; have [j lt_j ->] := cycle_iter c1 y.
  rewrite !fE // => /eqP; rewrite -(nth_traject d lt_i) -(nth_traject d lt_j).
  by rewrite nth_uniq ?size_traject // => /eqP ->.
exists (perm f_inj); apply/permP=> y; have [x ->] : exists x, y = perm f_inj x.
  by exists ((perm f_inj)^-1%g y); rewrite permKV.
rewrite permJ !permE; have [i lt_i ->] := cycle_iter c1 x; rewrite fE // -!iterS.
have [lt_i1|] := ltnP i.+1 n; first by rewrite fE.
move=> le_n; have -> : i.+1 = n by lia.
have := iter_porbit c ord0; have := iter_porbit d ord0; rewrite size_c size_d => -> ->.
exact: (fE 0).
Qed.

(* Each commutes with its n powers. *)
Lemma centralizer c : #|porbits c| = 1 -> #|'C[c]%g| = n.
Proof.
move=> c1; have commutes s i x : s \in 'C[c]%g -> s (iter i c x) = iter i c (s x).
  move/cent1P=> sc; elim: i => //= i <-; rewrite -!permM; congr (fun_of_perm _ _).
  by have := sc; rewrite /commute => ->.
have inj : {in 'C[c]%g &, injective (fun s : 'S_n => s ord0)}.
  move=> s t sC tC same; apply/permP=> x; have [i _ ->] := cycle_iter c1 x.
  by rewrite !commutes // same.
rewrite -(card_in_imset inj) -[RHS]card_ord -cardsT; apply: eq_card => x; rewrite inE.
apply/imsetP; have [i _ ->] := cycle_iter c1 x; exists (c ^+ i)%g; last by rewrite permX.
by rewrite groupX ?cent1id.
Qed.

Lemma card_cycles c : #|porbits c| = 1 -> #|[set d : 'S_n | #|porbits d| == 1]| = m`!.
Proof.
move=> c1; have -> : [set d : 'S_n | #|porbits d| == 1] = (c ^: [set: 'S_n])%g.
  apply/setP=> d; rewrite inE; apply/eqP/imsetP=> [d1|[g _ ->]].
    by have [g ->] := cycles_conjugate c1 d1; exists g; rewrite ?inE.
  rewrite -c1 -(card_imset (mem (porbits c)) (imset_inj (@perm_inj _ g))); apply: eq_card => A.
  have orbit x : porbit (c ^ g)%g (g x) = g @: porbit c x.
    apply/setP=> y; apply/porbitP/imsetP=> [[i ->]|[z /porbitP[i ->] ->]].
      by exists ((c ^+ i)%g x); rewrite ?mem_porbit // -conjXg permJ.
    by exists i; rewrite -conjXg permJ.
  apply/imsetP/imsetP=> [[y _ ->]|[B /imsetP[x _ ->] ->]]; last by exists (g x).
  exists (porbit c (g^-1%g y)); first exact: imset_f.
  by rewrite -orbit permKV.
have := LagrangeI [group of [set: 'S_n]] 'C[c]%G; rewrite -indexgI index_cent1 setTI centralizer //.
have -> : #|[set: 'S_n]%G| = n * m`! by rewrite cardsT card_Sn factS.
by move/eqP; rewrite eqn_pmul2l // => /eqP.
Qed.

(* Conjugate permutations have the same number of products. *)
Lemma factorizations_conjugate k c g : #|factorizations k (c ^ g)%g| = #|factorizations k c|.
Proof.
elim: k c => [|k IH] c.
  have empty d : factorizations 0 d = if d == 1%g then setT else set0.
    by apply/setP=> l; rewrite !inE tuple0 /= eq_sym; case: eqP => _; rewrite !inE.
  rewrite !empty (_ : (c ^ g == 1)%g = (c == 1%g)) //.
  by rewrite -[RHS](inj_eq (@conjg_inj _ g)) conj1g.
have twice d : 2 * #|factorizations k.+1 d|
    = \sum_x \sum_(y | x != y) #|factorizations k (tperm x y * d)%g|.
  rewrite (sum_pairs (P := fun x y => x != y)) => [|x|x y|x y]; rewrite ?eqxx //.
  - congr (2 * _); rewrite count_factors; apply: eq_bigl => p; rewrite -val_eqE /=.
    by rewrite neq_ltn; case: ltnP.
  - by rewrite eq_sym.
  by rewrite tpermC.
apply/eqP; rewrite -(eqn_pmul2l (isT : 0 < 2)) !twice; apply/eqP.
rewrite (reindex_inj (@perm_inj _ g)); apply: eq_bigr => x _.
rewrite (reindex_inj (@perm_inj _ g)); apply: eq_big => [y|y _]; first by rewrite (inj_eq perm_inj).
by rewrite -tpermJ -conjMg IH.
Qed.

(* n^(n-2) products of n - 1 exchanges are a cycle of n bits. *)
Theorem denes c : #|porbits c| = 1 -> #|factorizations m c| = n ^ m.-1.
Proof.
move=> c1; have := weightedE (leqnSn m); rewrite ffactnn /weighted subSnn.
rewrite (eq_bigr (fun=> #|factorizations m c| * n)) => [|d /eqP d1]; last first.
  by have [g dE] := cycles_conjugate c1 d1; rewrite weight_cycle // dE factorizations_conjugate.
rewrite sum_nat_const -(card_cycles c1) => E; have n0 : 0 < n by [].
have : #|factorizations m c| * n = n ^ m.
  have f0 : 0 < m`! by apply: fact_gt0.
  apply/eqP; rewrite -(eqn_pmul2l f0) -(card_cycles c1); apply/eqP; rewrite [RHS]mulnC -E.
  by congr (_ * _); apply: eq_card => d; rewrite inE.
move: #|factorizations m c| => N; case: (m) => [|m']; first by rewrite muln1 expn0.
by rewrite expnSr => /eqP; rewrite eqn_pmul2r // => /eqP.
Qed.

(* And no fewer exchanges are. *)
Theorem denes_fewest c k : #|porbits c| = 1 -> k < m -> factorizations k c = set0.
Proof.
move=> c1 km; apply/eqP; rewrite -cards_eq0 -leqn0 leqNgt; apply/negP=> /cycles_left.
by rewrite c1; lia.
Qed.

(* The shuffle of n dimensions. *)
Definition shuffle : 'S_n := perm (@addrI [zmodType of 'I_n] Zp1).

Lemma shuffle_cycle : #|porbits shuffle| = 1.
Proof.
have all x : x \in porbit shuffle ord0.
  apply/porbitP; exists (x : nat); rewrite permX.
  have -> : iter x shuffle ord0 = (Zp1 *+ x)%R.
    by elim: (x : nat) => [|i IH] //=; rewrite IH permE mulrS.
  by apply: val_inj; rewrite Zp_mulrn /= modnMml mul1n modn_small.
apply/eqP/cards1P; exists (porbit shuffle ord0); apply/setP=> A; rewrite !inE.
apply/imsetP/eqP=> [[x _ ->]|->]; last by exists ord0.
by apply/eqP; rewrite eq_porbit_mem.
Qed.

(** Claims: edelman.factorizations. *)
Theorem shuffle_factorizations :
  #|factorizations m shuffle| = n ^ m.-1 /\ forall k, k < m -> factorizations k shuffle = set0.
Proof. by split=> [|k]; [apply: denes|apply: denes_fewest]; apply: shuffle_cycle. Qed.

End Cycles.
