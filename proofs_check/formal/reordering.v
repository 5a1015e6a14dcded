(* Orders of the bits, and what renaming the processors does to a communication.

   e-cube routing corrects bits 0, 1, ..., n-1, so before bit i the set L_i = {0, ..., i-1} has been
   corrected. Renaming the processors by x' = Q x turns (A, b) into (Q A Q^-1, Q b), and takes paths
   to paths if Q is a permutation matrix: then e-cube on the renamed processors walks the lattice of
   (A, b) in another order. `order_up` and `order_down` find an order one bit after another, from
   the first or from the last.

   renamed A Q == Q A Q^-1: the communication with processor x named Q x
   below n i == L_i = {0, ..., i-1}
   prefix s i == the bits that order s has before its i-th *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** Renamed messages *)

Section Renamed.

Variables (n : nat) (s : 'S_n).

Lemma perm_mx_bit (x : vec n) k : (perm_mx s *m x) k 0 = x (s k) 0.
Proof. by rewrite -row_permE mxE. Qed.

Section Messages.

Variables (M : finType) (src dst : M -> vec n).
Let src' m := perm_mx s *m src m.
Let dst' m := perm_mx s *m dst m.

Lemma place_reorder S m : place src' dst' S m = perm_mx s *m place src dst (s @: S) m.
Proof.
apply/matrixP=> k i; rewrite (ord1 i) perm_mx_bit [LHS]mxE [RHS]mxE !perm_mx_bit.
by rewrite mem_imset //; apply: perm_inj.
Qed.

Lemma carried_reorder Z S j u :
  carried src' dst' Z S j (perm_mx s *m u) = carried src dst (s @: Z) (s @: S) (s j) u.
Proof.
apply/setP=> m; rewrite !inE /moves_in !perm_mx_bit; congr (_ && _); rewrite place_reorder.
apply/same_routerP/same_routerP=> same i iZ; last first.
  by rewrite !perm_mx_bit same // mem_imset //; apply: perm_inj.
by rewrite -(permKV s i) -!perm_mx_bit same // -(mem_imset _ _ (@perm_inj _ s)) permKV.
Qed.

Lemma load_reorder Z S j : load src' dst' Z S j = load src dst (s @: Z) (s @: S) (s j).
Proof.
rewrite /load (reindex_inj (can_inj (mulKmx (unitmx_perm _ s)))) /=.
by apply: eq_bigr => u _; rewrite carried_reorder.
Qed.

End Messages.

(* The same messages under other names. *)
Lemma load_reindex (M M' : finType) (h : M' -> M) (src dst : M -> vec n) Z S j :
  bijective h -> load (src \o h) (dst \o h) Z S j = load src dst Z S j.
Proof.
move=> hB; apply: eq_bigr => u _; rewrite -(on_card_preimset (f := h)); last exact: onW_bij.
by apply: eq_card => m; rewrite !inE.
Qed.

End Renamed.

Lemma eq_load n (M : finType) (src src' dst dst' : M -> vec n) Z S j :
  src =1 src' -> dst =1 dst' -> load src dst Z S j = load src' dst' Z S j.
Proof.
move=> eqs eqd; apply: eq_bigr => u _; apply: eq_card => m.
rewrite !inE /moves_in -eqs -eqd; congr (same_router _ _ _ && _).
by apply/matrixP=> i k; rewrite !mxE eqs eqd.
Qed.

(** ** Renamed communications: Theorem 2 *)

Section Conjugate.

Variables (n : nat) (A : 'M['F_2]_n) (b : vec n).
Implicit Types (Q : 'M['F_2]_n) (s : 'S_n).

Definition renamed Q := Q *m A *m invmx Q.

(** Claims: hou.thm2. *)
Theorem image_renamed Q x : Q \in unitmx ->
  image (renamed Q) (Q *m b) (Q *m x) = Q *m image A b x.
Proof. by move=> QU; rewrite /image mulmxDr /renamed -!mulmxA mulKmx. Qed.

Lemma rank_renamed Q : Q \in unitmx -> \rank (renamed Q) = \rank A.
Proof.
move=> QU; rewrite mxrankMfree ?row_free_unit ?unitmx_inv //.
by rewrite -[LHS]mxrank_tr trmx_mul mxrankMfree ?mxrank_tr ?row_free_unit ?unitmx_tr.
Qed.

Theorem gather_path_renamed s S x :
  place id (image (renamed (perm_mx s)) (perm_mx s *m b)) S (perm_mx s *m x)
  = perm_mx s *m place id (image A b) (s @: S) x.
Proof.
rewrite -place_reorder; apply/matrixP=> i k; rewrite [LHS]mxE [RHS]mxE.
by rewrite image_renamed ?unitmx_perm.
Qed.

Theorem gather_load_renamed s Z S j :
  gather_load (renamed (perm_mx s)) (perm_mx s *m b) Z S j
  = gather_load A b (s @: Z) (s @: S) (s j).
Proof.
rewrite /gather_load -load_reorder.
rewrite -(@load_reindex _ _ _ (mulmx (perm_mx s))); last first.
  by exists (mulmx (invmx (perm_mx s))); [apply: mulKmx|apply: mulKVmx]; apply: unitmx_perm.
by apply: eq_load => x //=; rewrite image_renamed ?unitmx_perm.
Qed.

Theorem scatter_load_renamed s Z S j :
  scatter_load (renamed (perm_mx s)) (perm_mx s *m b) Z S j
  = scatter_load A b (s @: Z) (s @: S) (s j).
Proof.
rewrite /scatter_load -load_reorder.
rewrite -(@load_reindex _ _ _ (mulmx (perm_mx s))); last first.
  by exists (mulmx (invmx (perm_mx s))); [apply: mulKmx|apply: mulKVmx]; apply: unitmx_perm.
by apply: eq_load => x //=; rewrite image_renamed ?unitmx_perm.
Qed.

End Conjugate.

(** ** Orders *)

Definition below n (i : nat) : bits n := [set k : 'I_n | (k < i)%N].

(* The bits that order s corrects before its i-th. *)
Definition prefix n (s : 'S_n) (i : nat) : bits n := s @: below n i.

Lemma card_below n i : (i <= n)%N -> #|below n i| = i.
Proof.
move=> le_in; rewrite -sum1_card (eq_bigl (fun k : 'I_n => (k < i)%N)) => [|k]; last by rewrite inE.
by rewrite -(big_ord_widen n (fun=> 1%N) le_in) sum1_card card_ord.
Qed.

Lemma card_ker_below m n (A : 'M['F_2]_(m, n)) R i : (i <= n)%N ->
  #|ker A R (below n i)| = (2 ^ (i - \rank (minor A R (below n i))))%N.
Proof. by move=> le_in; rewrite card_ker; congr (_ ^ (_ - _))%N; apply: card_below. Qed.

Lemma below_notin n (i : 'I_n) : i \notin below n i. Proof. by rewrite inE ltnn. Qed.

Lemma belowS n (i : 'I_n) : i |: below n i = below n i.+1.
Proof. by apply/setP=> k; rewrite !inE ltnS [RHS]leq_eqVlt. Qed.

Lemma below_all n : below n n = setT.
Proof. by apply/setP=> k; rewrite !inE ltn_ord. Qed.

Lemma prefix_notin n (s : 'S_n) (i : 'I_n) : s i \notin prefix s i.
Proof. by rewrite mem_imset ?below_notin //; apply: perm_inj. Qed.

Lemma prefixS n (s : 'S_n) (i : 'I_n) : s i |: prefix s i = prefix s i.+1.
Proof. by rewrite /prefix -belowS imsetU1. Qed.

Lemma prefix1 n i : prefix (1%g : 'S_n) i = below n i.
Proof.
rewrite /prefix -[RHS]imset_id; apply: eq_imset => k; exact: perm1.
Qed.

(* A list of all bits, each once, is an order. *)
Lemma order_of_seq n (l : seq 'I_n) : uniq l -> size l = n ->
  exists s : 'S_n, forall k : 'I_n, s k = nth k l k /\ prefix s k = [set i in take k l].
Proof.
move=> lU lS; have sizeP (k : 'I_n) : (k < size l)%N by rewrite lS.
have f_inj : injective (fun k : 'I_n => nth k l k).
  move=> k k' /eqP; rewrite (set_nth_default k _ (sizeP k')) (nth_uniq _ _ _ lU) //.
  by move=> /eqP/val_inj.
exists (perm f_inj) => k; rewrite permE; split=> //; apply/setP=> i.
rewrite [RHS]inE; apply/imsetP/idP.
  move=> [k']; rewrite inE => lt_k'k ->; rewrite permE -(nth_take _ lt_k'k) mem_nth //.
  by rewrite size_takel // ltnW.
move=> il; have il' := mem_take il; have := il.
rewrite -index_mem size_takel ?(ltnW (sizeP k)) // => lt_ik.
have lt_in : (index i (take k l) < n)%N by apply: ltn_trans (ltn_ord k).
exists (Ordinal lt_in); rewrite ?inE //= permE /= -(nth_take _ lt_ik) nth_index //.
Qed.

Section Search.

Variables (n : nat) (ok : bits n -> 'I_n -> Prop) (inv : bits n -> Prop).

(* From the last bit: T is what is still to be ordered, j comes last in it. *)
Lemma order_down :
  inv setT ->
  (forall T, T != set0 -> inv T -> exists j, [/\ j \in T, ok (T :\ j) j & inv (T :\ j)]) ->
  exists s : 'S_n, forall k : 'I_n, ok (prefix s k) (s k).
Proof.
move=> invT step.
suff build T : inv T -> exists l, [/\ uniq l, l =i T
    & forall i : 'I_n, (i < size l)%N -> ok [set x in take i l] (nth i l i)].
  have [l [lU lT lok]] := build _ invT.
  have lS : size l = n.
    by rewrite -(card_uniqP lU) -[RHS]card_ord; apply: eq_card => i; rewrite lT !inE.
  have [s sl] := order_of_seq lU lS; exists s => k; have [-> ->] := sl k.
  by apply: lok; rewrite lS.
have [m] := ubnP #|T|; elim: m T => // m IH T leT invT'.
have [->|T0] := eqVneq T set0; first by exists [::]; split=> // i; rewrite inE.
have [j [jT okj invj]] := step _ T0 invT'; rewrite (cardsD1 j) jT in leT.
have [l [lU lT lok]] := IH _ leT invj; exists (rcons l j); split.
- by rewrite rcons_uniq lT !inE eqxx.
- by move=> i; rewrite mem_rcons inE lT !inE; case: eqP => // ->.
move=> i; rewrite size_rcons ltnS leq_eqVlt => /orP[/eqP iS|lt_i].
  rewrite nth_rcons iS ltnn eqxx -cats1 take_size_cat //.
  by rewrite (_ : [set x in l] = T :\ j) //; apply/setP=> x; rewrite inE lT.
by rewrite nth_rcons lt_i -cats1 takel_cat ?(ltnW lt_i) //; apply: lok.
Qed.

(* From the first bit: S has been ordered, j comes next. *)
Lemma order_up :
  inv set0 ->
  (forall S, S != setT -> inv S -> exists j, [/\ j \notin S, ok S j & inv (j |: S)]) ->
  exists s : 'S_n, forall k : 'I_n, ok (prefix s k) (s k).
Proof.
move=> inv0 step.
suff build S : inv S -> exists l, [/\ uniq l, l =i ~: S
    & forall i : 'I_n, (i < size l)%N -> ok (S :|: [set x in take i l]) (nth i l i)].
  have [l [lU lT lok]] := build _ inv0.
  have lS : size l = n.
    by rewrite -(card_uniqP lU) -[RHS]card_ord; apply: eq_card => i; rewrite lT !inE.
  have [s sl] := order_of_seq lU lS; exists s => k; have [-> ->] := sl k.
  by rewrite -[X in ok X _]set0U; apply: lok; rewrite lS.
have [m] := ubnP #|~: S|; elim: m S => // m IH S leS invS.
have [->|S0] := eqVneq S setT.
  by exists [::]; split=> // i; rewrite setCT inE.
have [j [jS okj invj]] := step _ S0 invS; rewrite (cardsD1 j) inE jS in leS.
have [|l [lU lT lok]] := IH (j |: S) _ invj; first by rewrite setCU setIC -setDE.
exists (j :: l); split=> [/=|i|].
- by rewrite lU lT !inE eqxx.
- by rewrite inE lT !inE; case: eqP => [->|].
move=> [[|i] lt_in] /= lt_i.
  by rewrite (_ : _ :|: _ = S) //; apply/setP=> x; rewrite !inE orbF.
have lt_in' : (i < n)%N by apply: ltnW.
have := lok (Ordinal lt_in') lt_i; rewrite /= (set_nth_default (Ordinal lt_in)) //.
by congr ok; apply/setP=> x; rewrite !inE orbCA orbA.
Qed.

End Search.
