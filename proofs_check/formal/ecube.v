(* Hou, Wang, Ku, Hsu on the hypercube: Theorems 1, 3, 4, 5 and Corollaries 1 and 2.

   The lower bound. Let j be the last bit that any message changes. The rows after j are unit rows,
   so a vector that A maps to 0 lives on the bits up to j: the 2^(n - rank A) of them are in
   ker A L_(j+1) L_(j+1), and half of a kernel is left without column j.

   The order. Let T be the bits still to be placed; the last of them, j, gets the load
   |ker A T (T - j)|. If A maps a vector x of T to 0 on T, take j with x_j = 1: that halves the
   kernel. If there is none, any j will do. Either way the load is at most 2^(n-1-rank A), and
   dropping row j doubles the kernel at most, so the argument goes on with T - j.

   contention A b i == T_i: the load of dimension i after L_i
   degree A b == T: the largest T_i
   scatter_contention A b i == the load of dimension i of the scatter after L_i, ascending
   scatter_degree A b == the largest of these
   least_degree A b == 0 for (I, 0), else 2^(n-1-rank A), where n-1-n counts as 0
   of_theorem_5 A s == i - rank [Q A Q^-1]_(L_(i+1),L_i) <= n-1-rank A for all i, Q of the order s
   reversal == the order n-1, ..., 1, 0 *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice reordering.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** Contention under e-cube routing *)

Section Ecube.

Variables (n : nat).
Implicit Types (A Q : 'M['F_2]_n) (b : vec n) (i j k : 'I_n) (s : 'S_n).

(* T_i(A, b) and T(A, b) of a gather, and of a scatter routed forward. *)
Definition contention A b i := gather_load A b set0 (below n i) i.
Definition degree A b := \max_i contention A b i.
Definition scatter_contention A b i := scatter_load A b set0 (below n i) i.
Definition scatter_degree A b := \max_i scatter_contention A b i.

Lemma contention_ker A b i :
  contention A b i = if moves A b i then #|ker A (below n i.+1) (below n i)| else 0%N.
Proof. by rewrite /contention gather_load0 ?below_notin // belowS. Qed.

(** Claims: hou.thm1. *)
Theorem hou_theorem_1 A b i : contention A b i =
  if moves A b i then (2 ^ (i - \rank (minor A (below n i.+1) (below n i))))%N else 0%N.
Proof. by rewrite contention_ker card_ker_below // ltnW. Qed.

Lemma no_bit_moves A b : [forall j, ~~ moves A b j] = (A == 1%:M) && (b == 0).
Proof.
apply/forallP/andP=> [still|[/eqP-> /eqP->] j].
  split; apply/eqP; last first.
    by apply/matrixP=> i k; rewrite (ord1 k) mxE (still_vector (still i)).
  apply: mul_vec_inj => x; apply/matrixP=> i k.
  by rewrite (ord1 k) mul1mx (still_row _ (still i)).
by apply/existsPn=> x; rewrite negbK /image mul1mx addr0.
Qed.

Lemma degree_still b A : (A == 1%:M) && (b == 0) -> degree A b = 0%N.
Proof.
rewrite -no_bit_moves => /forallP still; apply: big1 => i _.
by rewrite contention_ker (negPf (still i)).
Qed.

(* The last bit that moves has half of A's kernel. *)
Lemma last_moving A b (Z : bits n) : [exists j, (j \notin Z) && moves A b j] ->
  exists j, [/\ j \notin Z, moves A b j
    & forall k, k \notin Z -> (j < k)%N -> ~~ moves A b k].
Proof.
move=> /existsP[j0 j0P]; case: (@arg_maxnP _ j0 (fun j => (j \notin Z) && moves A b j) val j0P).
move=> j /andP[jZ mj] top; exists j; split=> // k kZ lt_jk; apply/negP=> mk.
have le_kj : (k <= j)%N by apply: top; rewrite kZ.
by rewrite leqNgt lt_jk in le_kj.
Qed.

Lemma degree_ge A b : ~~ ((A == 1%:M) && (b == 0)) -> (2 ^ (n.-1 - \rank A) <= degree A b)%N.
Proof.
rewrite -no_bit_moves negb_forall => /existsP[j0]; rewrite negbK => mj0.
have [|j [_ mj still]] := @last_moving A b set0; first by apply/existsP; exists j0; rewrite inE.
apply: leq_trans (leq_bigmax j); rewrite contention_ker mj.
have /(leq_trans _) : (#|ker A setT setT| <= 2 * #|ker A (below n j.+1) (below n j)|)%N.
  rewrite (_ : below n j = below n j.+1 :\ j); last by rewrite -belowS setU1K ?below_notin.
  apply: leq_trans (card_ker_delcol_le _ _ _ _); apply/subset_leq_card/subsetP=> x.
  rewrite ker_full inE => /eqP Ax; apply/kerP; split=> i; rewrite ?Ax ?mxE // inE -leqNgt => lt_ji.
  by rewrite -(still_row x (still i _ lt_ji)) ?inE // Ax mxE.
rewrite card_ker_full; have [rn|rn] := leqP n (\rank A) => [_|half].
  by rewrite (_ : (_ - _ = 0)%N) ?card_ker_gt0 //; apply/eqP;
    rewrite subn_eq0 (leq_trans _ rn) ?leq_pred.
rewrite -(leq_pmul2l (isT : (0 < 2)%N)) half // -expnS leq_exp2l //.
by rewrite -subSn ?prednK ?(leq_ltn_trans _ rn) // -ltnS prednK ?(leq_ltn_trans _ rn).
Qed.

(** ** Renamings *)

Lemma invmx_mul (P Q : 'M['F_2]_n) : P \in unitmx -> Q \in unitmx ->
  invmx (P *m Q) = invmx Q *m invmx P.
Proof.
move=> PU QU; have PQU : P *m Q \in unitmx by rewrite unitmx_mul PU.
apply: (can_inj (mulKmx PQU)); rewrite mulmxV // -mulmxA (mulmxA Q) mulmxV // mul1mx.
by rewrite mulmxV.
Qed.

Lemma renamed_mul A Q P : Q \in unitmx -> P \in unitmx ->
  renamed (renamed A Q) P = renamed A (P *m Q).
Proof.
by move=> QU PU; rewrite /renamed invmx_mul // !mulmxA.
Qed.

Lemma renamed_still A b Q : Q \in unitmx ->
  (renamed A Q == 1%:M) && (Q *m b == 0) = (A == 1%:M) && (b == 0).
Proof.
move=> QU; congr (_ && _); apply/eqP/eqP=> [|->]; last 2 first.
- by move/(congr1 (mulmx (invmx Q))); rewrite mulKmx // mulmx0.
- by rewrite mulmx0.
- move/(congr1 (fun B => invmx Q *m B *m Q)).
  by rewrite /renamed !mulmxA mulVmx // mul1mx mulmxKV // mulmx1 mulVmx.
by rewrite /renamed mulmx1 mulmxV.
Qed.

(** Claims: hou.thm3. *)
Theorem hou_theorem_3 A b Q : Q \in unitmx -> ~~ ((A == 1%:M) && (b == 0)) ->
  (2 ^ (n.-1 - \rank A) <= degree (renamed A Q) (Q *m b))%N.
Proof.
by move=> QU nb; rewrite -(rank_renamed A QU); apply: degree_ge; rewrite renamed_still.
Qed.

(** Claims: hou.thm3. *)
Theorem hou_theorem_3_exception Q : Q \in unitmx ->
  degree (renamed 1%:M Q) (Q *m (0 : vec n)) = 0%N.
Proof. by move=> QU; apply: degree_still; rewrite renamed_still // !eqxx. Qed.

Lemma card_ker_renamed A s (R C : bits n) :
  #|ker (renamed A (perm_mx s)) R C| = #|ker A (s @: R) (s @: C)|.
Proof.
have PU : perm_mx s \in @unitmx [comUnitRingType of 'F_2] n := unitmx_perm _ s.
rewrite -[RHS](card_imset _ (can_inj (mulKmx PU))); apply: eq_card => x.
apply/idP/imsetP=> [|[y /kerP[yC yR] ->]].
  move=> /kerP[xC xR]; exists (invmx (perm_mx s) *m x); last by rewrite mulKVmx.
  apply/kerP; split=> i iX.
    rewrite -(permKV s i) -perm_mx_bit mulKVmx // xC //.
    by apply: contra iX => /(imset_f s); rewrite permKV.
  have /imsetP[k kR ->] := iX.
  by rewrite -perm_mx_bit !mulmxA -/(renamed A _) xR.
apply/kerP; split=> i iX; first by rewrite perm_mx_bit yC // mem_imset //; apply: perm_inj.
by rewrite /renamed mulmxA mulmxKV // -mulmxA perm_mx_bit yR // imset_f.
Qed.

Lemma ker_renamed_prefix A s k :
  #|ker (renamed A (perm_mx s)) (below n k.+1) (below n k)|
  = #|ker A (s k |: prefix s k) (prefix s k)|.
Proof. by rewrite card_ker_renamed prefixS. Qed.

(** ** The order *)

Lemma best_order A : exists s, forall k,
  (#|ker A (s k |: prefix s k) (prefix s k)| <= 2 ^ (n.-1 - \rank A))%N.
Proof.
set N := (2 ^ _)%N; have N0 : (0 < N)%N by rewrite expn_gt0.
apply: (@order_down _ (fun S j => #|ker A (j |: S) S| <= N)%N (fun T => #|ker A T T| <= 2 * N)%N).
  rewrite card_ker_full -expnS leq_exp2l //.
  by move: (\rank A) => r; case: n => [|m] //=; rewrite leq_subLR addnS ltnS -leq_subLR.
move=> T T0 invT.
suff [j jT okj] : exists2 j, j \in T & (#|ker A T (T :\ j)| <= N)%N.
  have TE : j |: T :\ j = T by rewrite setD1K.
  exists j; split; rewrite ?TE //; apply: leq_trans (card_ker_addrow_le A _ _ j) _.
  by rewrite TE leq_mul2l okj orbT.
have [le1|/ker_exists[x xK /vec_exists_bit[j xj]]] := leqP #|ker A T T| 1.
  have [j jT] := set0Pn _ T0; exists j => //; apply: leq_trans (leq_trans le1 N0).
  by apply: leq_ker => //; apply: subsetDl.
exists j; first exact: ker_bit_in xK xj.
by rewrite -(leq_pmul2l (isT : (0 < 2)%N)) -(card_ker_delcol xK xj).
Qed.

(** Claims: hou.thm4. *)
Theorem hou_theorem_4 A : A \in unitmx -> exists s, forall i,
  \rank (minor (renamed A (perm_mx s)) (below n i.+1) (below n i)) = i.
Proof.
move=> AU; have [s sN] := best_order A; exists s => i.
have := sN i; rewrite -ker_renamed_prefix card_ker_below ?(ltnW (ltn_ord i)) //.
rewrite mxrank_unit // leq_exp2l // (_ : (n.-1 - n = 0)%N); last first.
  by apply/eqP; rewrite subn_eq0 leq_pred.
rewrite leqn0 subn_eq0 => ir; apply/eqP; rewrite eqn_leq ir andbT.
apply: leq_trans (rank_leq_col _) _; by rewrite card_below // ltnW.
Qed.

(** Claims: hou.thm5. *)
Theorem hou_theorem_5 A : exists s, forall i,
  (i - \rank (minor (renamed A (perm_mx s)) (below n i.+1) (below n i)) <= n.-1 - \rank A)%N.
Proof.
have [s sN] := best_order A; exists s => i; have := sN i.
by rewrite -ker_renamed_prefix card_ker_below ?(ltnW (ltn_ord i)) // leq_exp2l.
Qed.

Lemma best_degree A b : exists s,
  (degree (renamed A (perm_mx s)) (perm_mx s *m b) <= 2 ^ (n.-1 - \rank A))%N.
Proof.
have [s sN] := best_order A; exists s; apply/bigmax_leqP=> k _; rewrite contention_ker.
by case: ifP => // _; rewrite ker_renamed_prefix.
Qed.

(** Claims: hou.cor1. *)
Theorem hou_corollary_1 A b : A \in unitmx ->
  exists s, (degree (renamed A (perm_mx s)) (perm_mx s *m b) <= 1)%N.
Proof.
move=> AU; have [s] := best_degree A b; rewrite mxrank_unit // => sN; exists s.
by rewrite (leq_trans sN) // (_ : (n.-1 - n = 0)%N) //; apply/eqP; rewrite subn_eq0 leq_pred.
Qed.

(* The least degree over all nonsingular Q, which a permutation reaches. *)
Definition least_degree A b := if (A == 1%:M) && (b == 0) then 0%N else (2 ^ (n.-1 - \rank A))%N.

Theorem least_degree_ge A b Q : Q \in unitmx ->
  (least_degree A b <= degree (renamed A Q) (Q *m b))%N.
Proof.
by move=> QU; rewrite /least_degree; case: ifP => // nb; apply: hou_theorem_3; rewrite ?nb.
Qed.

Theorem least_degree_reached A b : exists s,
  degree (renamed A (perm_mx s)) (perm_mx s *m b) = least_degree A b.
Proof.
have [s sN] := best_degree A b; exists s; apply/eqP.
rewrite eqn_leq least_degree_ge ?unitmx_perm // andbT /least_degree; case: ifP => // still.
by rewrite degree_still // renamed_still ?unitmx_perm.
Qed.

(* The order of Theorem 5, whichever it is, is one of them. *)
Definition of_theorem_5 A s := forall i,
  (i - \rank (minor (renamed A (perm_mx s)) (below n i.+1) (below n i)) <= n.-1 - \rank A)%N.

(** Claims: hou.cor2.gather. *)
Theorem hou_corollary_2_gather A b s : (\rank A < n)%N -> of_theorem_5 A s ->
  forall Q, Q \in unitmx ->
  (degree (renamed A (perm_mx s)) (perm_mx s *m b) <= degree (renamed A Q) (Q *m b))%N.
Proof.
move=> sing s5 Q QU; apply: leq_trans (least_degree_ge A b QU); rewrite /least_degree ifN.
  apply/bigmax_leqP=> k _; rewrite contention_ker; case: ifP => // _.
  by rewrite card_ker_below ?(ltnW (ltn_ord k)) // leq_exp2l // s5.
by apply: contraL sing => /andP[/eqP-> _]; rewrite mxrank1 ltnn.
Qed.

(** ** Scatters *)

Definition reversal : 'S_n := perm rev_ord_inj.

Theorem scatter_degree_reversed A b :
  scatter_degree A b = degree (renamed A (perm_mx reversal)) (perm_mx reversal *m b).
Proof.
rewrite /scatter_degree /degree (reindex_inj rev_ord_inj) /=; apply: eq_bigr => i _.
rewrite /contention gather_load_renamed imset0 permE /scatter_contention.
rewrite scatter_load_complement ?below_notin ?inE // belowS; congr (gather_load _ _ _ _ _).
apply/setP=> k; rewrite !inE -[k in RHS]rev_ordK -[rev_ord (rev_ord k)](permE rev_ord_inj).
rewrite mem_imset; last exact: perm_inj.
by rewrite inE /= -leqNgt !subnSK // !leq_subLR addnC.
Qed.

(* Routed in descending order a scatter has the loads of its gather in ascending order. *)
Theorem scatter_descending A b i :
  scatter_load A b set0 [set k : 'I_n | (i < k)%N] i = contention A b i.
Proof.
rewrite scatter_load_complement ?inE ?ltnn // /contention; congr (gather_load _ _ _ _ _).
by apply/setP=> k; rewrite !inE negb_or -leqNgt ltn_neqAle.
Qed.

Theorem least_scatter_degree_ge A b Q : Q \in unitmx ->
  (least_degree A b <= scatter_degree (renamed A Q) (Q *m b))%N.
Proof.
move=> QU; rewrite scatter_degree_reversed renamed_mul ?unitmx_perm // mulmxA.
by apply: least_degree_ge; rewrite unitmx_mul QU unitmx_perm.
Qed.

(* A scatter takes the order of Theorem 5 from its other end. *)
(** Claims: hou.cor2.scatter. *)
Theorem hou_corollary_2_scatter A b s : (\rank A < n)%N -> of_theorem_5 A s ->
  forall Q, Q \in unitmx ->
  (scatter_degree (renamed A (perm_mx (reversal * s)%g)) (perm_mx (reversal * s)%g *m b)
   <= scatter_degree (renamed A Q) (Q *m b))%N.
Proof.
move=> sing s5 Q QU; rewrite !scatter_degree_reversed !renamed_mul ?unitmx_perm // !mulmxA.
rewrite -perm_mxM mulgA (_ : (reversal * reversal = 1)%g) ?mul1g; last first.
  by apply/permP=> k; rewrite permM !permE rev_ordK.
by apply: hou_corollary_2_gather => //; rewrite unitmx_mul QU unitmx_perm.
Qed.

Theorem least_scatter_degree_reached A b : exists s,
  scatter_degree (renamed A (perm_mx s)) (perm_mx s *m b) = least_degree A b.
Proof.
have [s sE] := least_degree_reached A b; exists (reversal^-1 * s)%g.
rewrite scatter_degree_reversed renamed_mul ?unitmx_perm // mulmxA.
by rewrite -perm_mxM mulKVg.
Qed.

End Ecube.
