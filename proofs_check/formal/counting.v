(* How many matrices keep occupancy 1 all along the natural order: 2^(n(n-1)).

   They are the products of exchanges across 0, ..., n-1 (`exchanges.v`), in one way only: the
   exchange across bit k is the quotient of what the matrix has done after and before it. An
   exchange has n-1 free bits, the entries of its row besides the diagonal.

   occupancy_one == the matrices with one message in a processor after every L_i *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice reordering ecube exchanges.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Counting.

Variable n : nat.
Implicit Types (A X : 'M['F_2]_n) (k : 'I_n) (x : vec n).

Definition with_row k x : 'M['F_2]_n :=
  \matrix_(i, j) (if i == k then (if j == k then 1 else x j 0) else (i == j)%:R).

Lemma card_off k : #|[set x : vec n | x k 0 == 0]| = (2 ^ n.-1)%N.
Proof.
have -> : [set x : vec n | x k 0 == 0] = ker (0 : 'M['F_2]_n) set0 (setT :\ k).
  apply/setP=> x; rewrite inE; apply/eqP/kerP=> [xk|[xC _]].
    by split=> i; rewrite ?inE // andbT negbK => /eqP ->.
  by apply: xC; rewrite !inE eqxx.
rewrite card_ker (_ : \rank _ = 0%N) ?subn0; last first.
  by apply/eqP; rewrite -leqn0; apply: leq_trans (rank_leq_row _) _; rewrite cards0.
by congr (2 ^ _)%N; rewrite cardsDS ?subsetT // cardsT card_ord cards1 subn1.
Qed.

Lemma card_exchange k : #|[set X | exchange k X]| = (2 ^ n.-1)%N.
Proof.
rewrite -(card_off k) -[RHS](@card_in_imset _ _ (with_row k)); last first.
  move=> x y; rewrite !inE => /eqP xk /eqP yk /matrixP xy; apply/matrixP=> j z.
  rewrite (ord1 z); have := xy k j; rewrite !mxE eqxx; case: eqP => // -> _.
  by rewrite xk yk.
apply: eq_card => X; rewrite inE; apply/idP/imsetP=> [eX|[x _ ->]].
  exists (\col_j (if j == k then 0 else X k j)); first by rewrite inE mxE eqxx.
  apply/matrixP=> i j; rewrite mxE; have [->|ik] := eqVneq i k; last first.
    have := congr1 (fun v : 'rV_n => v 0 j) (exchange_row eX ik).
    by rewrite !mxE eqxx /= eq_sym.
  by rewrite mxE; case: eqP => // ->; have /andP[/eqP ->] := eX.
apply/andP; split; first by rewrite mxE !eqxx.
apply/forallP=> r; apply/implyP=> /negPf rk; apply/eqP/rowP=> j.
by rewrite !mxE rk eqxx eq_sym.
Qed.

Local Notation natural := (enum 'I_n).

(* A matrix is a product of exchanges in one way at most. *)
(** Claims: edelman.thm3.1.unique. *)
Theorem exchanges_unique (E E' : 'I_n -> 'M['F_2]_n) : (forall k, exchange k (E k)) ->
  (forall k, exchange k (E' k)) -> product E natural = product E' natural -> E =1 E'.
Proof.
move=> eE eE' same k; pose l := natural; have lU : uniq (take k l ++ drop k l).
  by rewrite cat_take_drop enum_uniq.
have prefix (F : 'I_n -> 'M['F_2]_n) (i : nat) : (forall r, exchange r (F r)) ->
    product F (take i l) = partial (product F l) [set x in take i l].
  move=> eF; have lU' : uniq (take i l ++ drop i l) by rewrite cat_take_drop enum_uniq.
  by have := exchanges_partial eF lU' (erefl _); rewrite cat_take_drop.
have lt_k : (k < size l)%N by rewrite size_enum_ord.
have step (F : 'I_n -> 'M['F_2]_n) : product F (take k.+1 l) = F k *m product F (take k l).
  by rewrite (take_nth k lt_k) /product foldl_rcons nth_ord_enum.
have eq i : product E (take i l) = product E' (take i l) by rewrite !prefix // same.
have := eq k.+1; rewrite !step -(eq k).
by move/(congr1 (mulmx^~ (invmx (product E (take k l))))); rewrite !mulmxK ?product_unit.
Qed.

(* Occupancy 1 all along the natural order. *)
Definition occupancy_one := [set A : 'M['F_2]_n |
  [forall i : 'I_n.+1, #|ker A (below n i) (below n i)| == 1%N]].

Lemma occupancy_oneE A : A \in occupancy_one <-> exchanges_along A natural.
Proof.
apply: iff_trans (iff_sym (edelman_theorem_3_1 A)); rewrite inE; split=> [/forallP ones i|minors].
  rewrite minor_unit; have [le_in|/ltnW lt_ni] := leqP i n.
    exact: (ones (Ordinal (le_in : i < n.+1)%N)).
  have -> : below n i = below n n; last exact: (ones ord_max).
  by apply/setP=> k; rewrite !inE ltn_ord (leq_trans _ lt_ni).
by apply/forallP=> i; have := minors i; rewrite minor_unit.
Qed.

(** Claims: lattice.count.edelman. *)
Theorem card_occupancy_one : #|occupancy_one| = (2 ^ (n * n.-1))%N.
Proof.
pose all := [set E : {ffun 'I_n -> 'M['F_2]_n} | [forall k, exchange k (E k)]].
have -> : occupancy_one = [set product E natural | E : {ffun 'I_n -> 'M['F_2]_n} in all].
  apply/setP=> A; apply/idP/imsetP=> [/occupancy_oneE[E [eE ->]]|[E]].
    exists [ffun k => E k]; first by rewrite inE; apply/forallP=> k; rewrite ffunE.
    rewrite /product; elim: natural (1%:M : 'M['F_2]_n) => //= k l IH X; by rewrite ffunE IH.
  by rewrite inE => /forallP eE ->; apply/occupancy_oneE; exists E.
rewrite card_in_imset => [|E E']; last first.
  by rewrite !inE => /forallP eE /forallP eE' /(exchanges_unique eE eE') EE'; apply/ffunP.
have -> : #|all| = #|family (fun k => mem [set X | exchange k X])|.
  apply: eq_card => E; rewrite inE; apply/forallP/familyP=> H k; have := H k; rewrite inE //.
rewrite card_family foldrE big_map big_enum /= (eq_bigr (fun=> 2 ^ n.-1)%N).
  by rewrite prod_nat_const card_ord -expnM mulnC.
by move=> k _; rewrite -(card_exchange k); apply: eq_card.
Qed.

End Counting.
