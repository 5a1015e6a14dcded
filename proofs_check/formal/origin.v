(* Hou, Wang, Ku, Hsu on the SGI Origin 2000: Theorems 7 and 8, Lemma 3.1, Corollaries 3 to 5.

   Two processors share a router: bit 0 is inside it and never corrected on a channel. So row 0 asks
   for nothing, and column 0 is always free: the load at bit i is |ker A (L_(i+1) - 0) L_i|.

   The order is found from the last bit as on the hypercube, now with row z of the bit inside the
   router left out. While the kernel has more than two vectors, one of them is 1 at a bit other than
   z; that bit comes last and halves the kernel. Once it has two vectors at most, any bit other than
   z will do: no load exceeds 2 from there on.

   origin_contention A b i == T_i after L_i, with bit 0 inside the routers
   origin_degree A b == the largest T_i, i >= 1
   origin_scatter_contention A b i == the same of the scatter
   origin_scatter_degree A b == the largest of these
   reversal0 == the order 0, n, ..., 1 of n+1 bits *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice reordering ecube.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Lemma leq2_exp k : (0 < k)%N -> (2 <= 2 ^ k)%N.
Proof. by case: k => // k _; rewrite expnS leq_pmulr ?expn_gt0. Qed.

Section Origin.

Variables (n : nat).
Implicit Types (A Q : 'M['F_2]_n.+1) (b : vec n.+1) (i j k z : 'I_n.+1) (s : 'S_n.+1).

(* T_i(A, b) and T(A, b) on the Origin, whose channels are those of the dimensions i <> 0. *)
Definition origin_contention A b i := gather_load A b [set ord0] (below n.+1 i) i.
Definition origin_degree A b := \max_(i | i != ord0) origin_contention A b i.
Definition origin_scatter_contention A b i := scatter_load A b [set ord0] (below n.+1 i) i.
Definition origin_scatter_degree A b := \max_(i | i != ord0) origin_scatter_contention A b i.

Lemma gather_load_router A b z (S : bits n.+1) j : j != z -> j \notin S ->
  gather_load A b [set z] S j = if moves A b j then #|ker A ((j |: S) :\ z) (z |: S)| else 0%N.
Proof.
move=> jz jS; rewrite gather_load_ker ?inE // [S :|: _]setUC;
  congr (if _ then #|pred_of_set (ker A _ _)| else _).
by apply/setP=> k; rewrite !inE; case: eqP => [->|]; rewrite ?jz ?andbT.
Qed.

Lemma origin_contention_ker A b i : i != ord0 -> origin_contention A b i =
  if moves A b i then #|ker A (below n.+1 i.+1 :\ ord0) (below n.+1 i)| else 0%N.
Proof.
move=> i0; rewrite /origin_contention gather_load_router ?below_notin // belowS.
congr (if _ then #|pred_of_set (ker A _ _)| else _); apply/setP=> k; rewrite !inE.
by case: eqP => // ->; rewrite lt0n.
Qed.

(** Claims: hou.thm7. *)
Theorem hou_theorem_7 A b i : i != ord0 -> origin_contention A b i =
  if moves A b i
  then (2 ^ (i - \rank (minor A (below n.+1 i.+1 :\ ord0) (below n.+1 i))))%N else 0%N.
Proof. by move=> i0; rewrite origin_contention_ker // card_ker_below // ltnW. Qed.

(** ** The lower bound *)

Lemma origin_degree_ge A b : [exists j, (j != ord0) && moves A b j] ->
  (2 ^ (n - \rank A) <= origin_degree A b)%N.
Proof.
move=> some; have [|j []] := @last_moving _ A b [set ord0].
  by apply: etrans some; apply: eq_existsb => j; rewrite inE.
rewrite inE => j0 mj still; apply: leq_trans (leq_bigmax_cond j j0).
rewrite origin_contention_ker // mj; set R := _ :\ ord0.
have /(leq_trans _) : (#|ker A setT setT| <= 2 * #|ker A R (below n.+1 j)|)%N.
  rewrite (_ : below _ j = below n.+1 j.+1 :\ j); last by rewrite -belowS setU1K ?below_notin.
  apply: leq_trans (card_ker_delcol_le _ _ _ _); apply/subset_leq_card/subsetP=> x.
  rewrite ker_full inE => /eqP Ax; apply/kerP; split=> i; rewrite ?Ax ?mxE // inE -leqNgt => lt_ji.
  by rewrite -(still_row x (still i _ lt_ji)) ?Ax ?mxE // inE -lt0n (leq_ltn_trans _ lt_ji).
rewrite card_ker_full; have [rn|rn] := leqP n (\rank A) => [_|half].
  by rewrite (_ : (_ - _ = 0)%N) ?card_ker_gt0 //; apply/eqP; rewrite subn_eq0.
by rewrite -(leq_pmul2l (isT : (0 < 2)%N)) half // -expnS leq_exp2l // subSn // ltnW.
Qed.

Lemma origin_still_rank A b : ~~ [exists j, (j != ord0) && moves A b j] -> (n <= \rank A)%N.
Proof.
move=> /existsPn still; have : (#|ker A setT setT| <= 2)%N.
  apply: (@leq_trans #|[set 0; delta_mx ord0 0 : vec n.+1]|); last exact: card_pair_le.
  apply/subset_leq_card/subsetP=> x; rewrite ker_full !inE => /eqP Ax.
  have xi i : i != ord0 -> x i 0 = 0.
    by move=> i0; have := still i; rewrite i0 => /still_row <-; rewrite Ax mxE.
  by have := vec_one_bit xi; rewrite !inE.
by rewrite card_ker_full -[X in (_ <= X)%N]expn1 leq_exp2l // leq_subLR addn1.
Qed.

(** Claims: hou.lem3.1. *)
Theorem hou_lemma_3_1 A b Q : Q \in unitmx -> (\rank A < n)%N ->
  (2 ^ (n - \rank A) <= origin_degree (renamed A Q) (Q *m b))%N.
Proof.
move=> QU rn; rewrite -(rank_renamed A QU); apply: origin_degree_ge.
by apply/contraLR: rn => /origin_still_rank; rewrite rank_renamed // -leqNgt.
Qed.

(** ** The order *)

Lemma origin_order A z N : (4 <= N)%N -> (#|ker A (~: [set z]) setT| <= N)%N ->
  exists s, s ord0 = z /\ forall k, k != ord0 ->
    (2 * #|ker A ((s k |: prefix s k) :\ z) (prefix s k)| <= N)%N.
Proof.
move=> N4 fullN.
have [|T T0 invT|s sP] := @order_down _
    (fun S j => if S == set0 then j = z else 2 * #|ker A ((j |: S) :\ z) S| <= N)%N
    (fun T => T != set0 -> z \in T /\ #|ker A (T :\ z) T| <= N)%N; last 1 first.
- have s0 : s ord0 = z.
    have := sP ord0; rewrite (_ : prefix s _ = set0) ?eqxx //.
    by apply/setP=> k; rewrite inE; apply/imsetP=> -[k']; rewrite inE.
  exists s; split=> // k k0; have := sP k; rewrite ifN //; apply/set0Pn; exists z.
  by rewrite -s0 imset_f // inE lt0n.
- by rewrite inE setTD.
have {invT}[zT TN] := invT T0.
have [T1|T1] := eqVneq (T :\ z) set0; first by exists z; rewrite T1 eqxx; split=> //; rewrite eqxx.
suff [j [jT jz okj]] : exists j, [/\ j \in T, j != z & 2 * #|ker A (T :\ z) (T :\ j)| <= N]%N.
  have zTj : z \in T :\ j by rewrite !inE eq_sym jz.
  exists j; have TE : j |: T :\ j = T by rewrite setD1K.
  rewrite TE ifN //; last by apply/set0Pn; exists z.
  split=> // _; split=> //; apply: leq_trans (card_ker_addrow_le A _ _ j) _.
  rewrite (_ : j |: T :\ j :\ z = T :\ z) //; apply/setP=> k; rewrite !inE.
  by have [->|] := eqVneq k j; rewrite ?jz ?jT.
have [le2|gt2] := leqP #|ker A (T :\ z) T| 2.
  have [j] := set0Pn _ T1; rewrite !inE => /andP[jz jT]; exists j; split=> //.
  apply: leq_trans N4; apply: (@leq_mul 2 _ 2 2) => //; apply: leq_trans le2.
  by apply: leq_ker => //; apply: subsetDl.
have [|none] := boolP [exists x in ker A (T :\ z) T, [exists j, (j != z) && (x j 0 != 0)]].
  case/exists_inP=> x xK /existsP[j /andP[jz xj]]; exists j; split=> //.
    exact: ker_bit_in xK xj.
  by rewrite -(card_ker_delcol xK xj).
case/negP: (none); move: gt2; rewrite ltnNge => /negP[].
apply: (@leq_trans #|[set 0; delta_mx z 0 : vec n.+1]|); last exact: card_pair_le.
apply/subset_leq_card/subsetP=> x xK; move/exists_inPn/(_ x xK)/existsPn: none => none.
by apply: vec_one_bit => i iz; have := none i; rewrite iz negbK => /eqP.
Qed.

(* In a singular matrix some row depends on the others: it asks for nothing. *)
Lemma dependent_row A : (\rank A < n.+1)%N ->
  exists z, ker A (~: [set z]) setT = ker A setT setT.
Proof.
move=> rA; suff /existsP[z sub] : [exists z, ker A (~: [set z]) setT \subset ker A setT setT].
  by exists z; apply/eqP; rewrite eqEsubset sub ker_sub // subsetT.
apply: contraLR rA => /existsPn indep; rewrite -leqNgt.
have /fin_all_exists[f fE] z : exists x : vec n.+1, A *m x = delta_mx z 0.
  have /subsetPn[x /kerP[_ xz] xN] := indep z; exists x; apply/matrixP=> i k.
  rewrite (ord1 k) [RHS]mxE eqxx andbT; have [->|iz] := eqVneq i z; last by rewrite xz ?inE.
  apply/eqP; rewrite -f2_neq0; apply: contra xN => /eqP Axz; rewrite ker_full inE; apply/eqP.
  apply/matrixP=> l m; rewrite (ord1 m) [RHS]mxE; have [->//|lz] := eqVneq l z.
  by rewrite xz ?inE.
have : A *m (\matrix_(i, j) f j i 0) = 1%:M.
  apply/matrixP=> i j; have /matrixP/(_ i 0) := fE j; rewrite !mxE eqxx andbT => <-.
  by apply: eq_bigr => k _; rewrite mxE.
by move=> /mulmx1_unit[AU _]; rewrite mxrank_unit.
Qed.

Lemma imset_prefix_del s (i : nat) : s @: (below n.+1 i :\ ord0) = prefix s i :\ s ord0.
Proof.
apply/setP=> k; rewrite -(permKV s k) mem_imset; last exact: perm_inj.
by rewrite !inE (inj_eq perm_inj) mem_imset ?inE //; apply: perm_inj.
Qed.

Lemma best_origin_order A : exists s, forall k, k != ord0 ->
  (#|ker (renamed A (perm_mx s)) (below n.+1 k.+1 :\ ord0) (below n.+1 k)|
   <= maxn 2 (2 ^ (n - \rank A)))%N.
Proof.
set N := maxn _ _; have [z zN] : exists z, (#|ker A (~: [set z]) setT| <= 2 * N)%N.
  have [full|sing] := ltnP n (\rank A).
    exists ord0; apply: leq_trans (card_ker_addrow_le A _ _ ord0) _; rewrite setUCr card_ker_full.
    rewrite (_ : (_ - _ = 0)%N) ?leq_mul // ?(leq_trans _ (leq_maxl _ _)) //.
    by apply/eqP; rewrite subn_eq0.
  have [z kz] := @dependent_row A sing.
  by exists z; rewrite kz card_ker_full subSn // expnS leq_mul // leq_maxr.
have [|s [s0 sN]] := origin_order _ zN; first by apply: (@leq_mul 2 2 2 N) => //; apply: leq_maxl.
exists s => k k0; rewrite card_ker_renamed imset_prefix_del -prefixS s0.
by rewrite -(leq_pmul2l (isT : (0 < 2)%N)) sN.
Qed.

(** Claims: hou.thm8. *)
Theorem hou_theorem_8 A : (\rank A < n)%N -> exists s, forall i, i != ord0 ->
  (i - \rank (minor (renamed A (perm_mx s)) (below n.+1 i.+1 :\ ord0) (below n.+1 i))
   <= n - \rank A)%N.
Proof.
move=> rn; have [s sN] := best_origin_order A; exists s => i i0; have := sN i i0.
rewrite card_ker_below ?(ltnW (ltn_ord i)) // (maxn_idPr _) ?leq_exp2l //.
by rewrite leq2_exp ?subn_gt0.
Qed.

Lemma best_origin_degree A b : exists s,
  (origin_degree (renamed A (perm_mx s)) (perm_mx s *m b) <= maxn 2 (2 ^ (n - \rank A)))%N.
Proof.
have [s sN] := best_origin_order A; exists s; apply/bigmax_leqP=> k k0.
by rewrite origin_contention_ker //; case: ifP => // _; apply: sN.
Qed.

(** Claims: hou.cor3. *)
Theorem hou_corollary_3 A b : A \in unitmx -> exists s, forall i, i != ord0 ->
  (origin_contention (renamed A (perm_mx s)) (perm_mx s *m b) i <= 2)%N.
Proof.
move=> AU; have [s /bigmax_leqP sN] := best_origin_degree A b; exists s => i i0.
by apply: leq_trans (sN i i0) _; rewrite mxrank_unit // (_ : (n - _ = 0)%N) //; apply/eqP;
  rewrite subn_eq0.
Qed.

(** Claims: hou.cor4. *)
Theorem hou_corollary_4 A b : (\rank A < n.+1)%N -> exists s, forall i, i != ord0 ->
  (origin_contention (renamed A (perm_mx s)) (perm_mx s *m b) i <= 2 ^ (n.+1 - \rank A))%N.
Proof.
move=> rn; have [s /bigmax_leqP sN] := best_origin_degree A b; exists s => i i0.
apply: leq_trans (sN i i0) _; rewrite geq_max leq2_exp ?subn_gt0 //=.
by rewrite leq_exp2l // leq_sub2r.
Qed.

(* Some reordering has the least degree that any nonsingular Q has. *)
(** Claims: hou.cor5. *)
Theorem hou_corollary_5 A b : (\rank A < n)%N -> exists s,
  origin_degree (renamed A (perm_mx s)) (perm_mx s *m b) = (2 ^ (n - \rank A))%N /\
  forall Q, Q \in unitmx -> (origin_degree (renamed A (perm_mx s)) (perm_mx s *m b)
                             <= origin_degree (renamed A Q) (Q *m b))%N.
Proof.
move=> rn; have [s sN] := best_origin_degree A b.
have degE : origin_degree (renamed A (perm_mx s)) (perm_mx s *m b) = (2 ^ (n - \rank A))%N.
  apply/eqP; rewrite eqn_leq hou_lemma_3_1 ?unitmx_perm // andbT; apply: leq_trans sN _.
  by rewrite geq_max leqnn leq2_exp ?subn_gt0.
by exists s; split=> // Q QU; rewrite degE; apply: hou_lemma_3_1.
Qed.

(** ** Scatters *)

(* The order of the bits outside the router, from its other end. *)
Definition outside_reversed i : 'I_n.+1 := if i == ord0 then ord0 else inord (n.+1 - i).

Lemma outside_reversedK : involutive outside_reversed.
Proof.
move=> i; rewrite /outside_reversed; case: (eqVneq i ord0) => [->|i0]; first by rewrite eqxx.
have ipos : (0 < i)%N by rewrite lt0n.
have lt_ni : (n.+1 - i < n.+1)%N by rewrite ltn_subrL ipos.
rewrite ifN ?inordK ?subKn ?inord_val //; first exact: ltnW.
by rewrite -val_eqE /= inordK // -lt0n subn_gt0.
Qed.

Definition reversal0 : 'S_n.+1 := perm (inv_inj outside_reversedK).

Lemma gather_load_inner A b z (S : bits n.+1) j : j != z -> j \notin S ->
  gather_load A b [set z] (z |: S) j = gather_load A b [set z] S j.
Proof.
move=> jz jS; rewrite !gather_load_router // ?inE ?negb_or ?jz //.
congr (if _ then #|pred_of_set (ker A _ _)| else _); apply/setP=> k; rewrite !inE.
  by case: eqP => //=.
by rewrite orbA orbb.
Qed.

Theorem origin_scatter_reversed A b :
  origin_scatter_degree A b
  = origin_degree (renamed A (perm_mx reversal0)) (perm_mx reversal0 *m b).
Proof.
have r0 : reversal0 ord0 = ord0 by rewrite permE /outside_reversed eqxx.
rewrite /origin_scatter_degree /origin_degree (reindex_inj (@perm_inj _ reversal0)) /=.
have fix0 i : (reversal0 i != ord0) = (i != ord0) by rewrite -{1}r0 (inj_eq perm_inj).
apply: eq_big => [i|i]; rewrite fix0 // => i0.
rewrite /origin_contention gather_load_renamed imset_set1 r0 /origin_scatter_contention.
set j := reversal0 i; have j0 : j != ord0 by rewrite fix0.
rewrite scatter_load_complement ?below_notin ?inE //.
rewrite -[RHS]gather_load_inner ?prefix_notin // -[LHS]gather_load_inner ?inE ?eqxx //.
congr (gather_load _ _ _ _ _); apply/setP=> k; rewrite belowS !inE.
have [//|k0 /=] := eqVneq k ord0; rewrite -leqNgt.
have kE : k = reversal0 (reversal0 k) by rewrite !permE outside_reversedK.
rewrite [in RHS]kE mem_imset ?inE; last exact: perm_inj.
have val0 l : l != ord0 -> reversal0 l = (n.+1 - l)%N :> nat.
  move=> l0; rewrite permE /outside_reversed (negPf l0) inordK //.
  by rewrite ltn_subrL lt0n l0.
by rewrite /j !val0 // !ltn_subLR ?(ltnW (ltn_ord _)) // addnC.
Qed.

(** Claims: hou.cor4. *)
Theorem hou_corollary_4_scatter A b : (\rank A < n.+1)%N -> exists s, forall i, i != ord0 ->
  (origin_scatter_contention (renamed A (perm_mx s)) (perm_mx s *m b) i
   <= 2 ^ (n.+1 - \rank A))%N.
Proof.
move=> rn; have [s sN] := hou_corollary_4 b rn; exists (reversal0 * s)%g; apply/bigmax_leqP.
rewrite -/(origin_scatter_degree _ _) origin_scatter_reversed renamed_mul ?unitmx_perm // mulmxA.
rewrite -perm_mxM mulgA (_ : (reversal0 * reversal0 = 1)%g) ?mul1g; first exact/bigmax_leqP.
by apply/permP=> k; rewrite permM !permE outside_reversedK.
Qed.

End Origin.
