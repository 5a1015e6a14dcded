(* How many matrices keep the natural order free of contention, whatever b is: 2^(n^2) (3/4)^(n-1).

   Add one bit after another. Let the first k+1 bits be free, that is the kernels ker A L_(i+1) L_i
   hold 0 only, for i <= k (`free_to k`). Half of these matrices have a nonsingular leading block of
   k+1 rows and columns (`full k`): besides 0 there is one sum w of the k+1 rows that is 0 in the
   first k columns, and turning an entry of column k that w sees turns its value in column k. A
   matrix of `full k` stays free at bit k+1. One of the others has one vector v besides 0 in the
   kernel of its block, and v has a 1 at bit k, so turning the entry of row k+1 and column k turns
   row k+1's value at v: half of the others stay free. 1/2 + 1/2 * 1/2 = 3/4.

   always_free == the matrices with T(A, b) <= 1 for every b
   ones == (1, ..., 1) *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice reordering ecube.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** Turning an entry *)

Section Free.

Variable m : nat.
Local Notation n := m.+1.
Implicit Types (A : 'M['F_2]_n) (i j : 'I_n) (k : nat).

Definition free_to k := [set A : 'M['F_2]_n |
  [forall i : 'I_n, (i <= k)%N ==> (#|ker A (below n i.+1) (below n i)| == 1%N)]].

Definition full k := [set A in free_to k | #|ker A (below n k.+1) (below n k.+1)| == 1%N].

Lemma free_toP A k : reflect (forall i, (i <= k)%N -> #|ker A (below n i.+1) (below n i)| = 1%N)
                             (A \in free_to k).
Proof.
rewrite inE; apply: (iffP forallP) => H i; last by apply/implyP=> /H ->.
by move=> ik; apply/eqP/(implyP (H i)).
Qed.

(* Turn the entry of row i and column j. *)
Lemma turnK A i j : A + delta_mx i j + delta_mx i j = A. Proof. exact: vec_addK. Qed.

Lemma turn_entry A i j r c : (r != i) || (c != j) -> (A + delta_mx i j) r c = A r c.
Proof. by rewrite !mxE; case: (r == i); case: (c == j) => //= _; rewrite addr0. Qed.

Lemma turn_free A i j k : (k <= j)%N -> (A + delta_mx i j \in free_to k) = (A \in free_to k).
Proof.
move=> kj; rewrite !inE; apply: eq_forallb => r; case: leqP => //= rk.
congr (#|pred_of_set _| == _); apply: eq_ker => r' c _; rewrite inE => cr.
have cj : c != j by rewrite -val_eqE /= neq_ltn (leq_trans cr (leq_trans rk kj)).
by rewrite turn_entry ?cj ?orbT.
Qed.

Lemma turn_row A i j (x : vec n) r :
  ((A + delta_mx i j) *m x) r 0 = (A *m x) r 0 + (r == i)%:R * x j 0.
Proof.
rewrite mulmxDl mxE; congr (_ + _); rewrite mxE (bigD1 j) //= big1 ?addr0 => [|c cj].
  by rewrite mxE eqxx andbT.
by rewrite mxE (negPf cj) andbF mul0r.
Qed.

(** ** Half of the free ones are full *)

Section Left.

Variable k : 'I_n.

Definition left A : vec n :=
  odflt 0 [pick w in ker A^T (below n k) (below n k.+1) | w != 0].

Definition seen A : 'I_n := odflt k [pick r | left A r 0 != 0].

Lemma leftP A : A \in free_to k -> [/\ #|ker A^T (below n k) (below n k.+1)| = 2%N,
  left A \in ker A^T (below n k) (below n k.+1), left A != 0 & left A (seen A) 0 != 0].
Proof.
move=> /free_toP/(_ k (leqnn k)) one; have := card_ker_tr A (below n k.+1) (below n k).
rewrite one mul1n !card_below ?(ltnW (ltn_ord k)) // expnS => /eqP.
rewrite eqn_pmul2r ?expn_gt0 // => /eqP two; have left_in :
  left A \in ker A^T (below n k) (below n k.+1) /\ left A != 0.
  rewrite /left; case: pickP => [w /andP[]//|none].
  have [|x xK x0] := @ker_exists _ _ A^T (below n k) (below n k.+1); first by rewrite -two.
  by have := none x; rewrite xK x0.
have [wK w0] := left_in; split=> //; rewrite /seen; case: pickP => // none.
by have [r] := vec_exists_bit w0; rewrite none.
Qed.

Lemma full_left A : A \in free_to k -> (A \in full k) = ((A^T *m left A) k 0 != 0).
Proof.
move=> Ak; rewrite inE Ak /=; have [two wK w0 _] := leftP Ak.
rewrite -(ker_pair _ two wK w0) belowS.
have := card_ker_tr A (below n k.+1) (below n k.+1); move/eqP.
by rewrite eqn_pmul2r ?expn_gt0 // => /eqP ->.
Qed.

Lemma card_full : #|free_to k| = (2 * #|full k|)%N.
Proof.
have -> : full k = [set A in free_to k | A \in full k].
  by apply/setP=> A; rewrite !inE; case: [forall _, _].
apply: (@card_toggle _ _ _ (fun A => A + delta_mx (seen A) k)) => A Ak.
have turned : A + delta_mx (seen A) k \in free_to k by rewrite turn_free.
have left_turned : left (A + delta_mx (seen A) k) = left A.
  rewrite /left (@eq_ker _ _ (A + _)^T A^T) // => r c; rewrite inE => rk _.
  by rewrite !mxE -[X in _ + X]mulr1n mulrb -[r == k]val_eqE ltn_eqF // andbF addr0.
split=> //; first by rewrite /seen left_turned turnK.
rewrite !full_left // left_turned linearD /= mulmxDl mxE trmx_delta.
have -> : (delta_mx k (seen A) *m left A) k 0 = 1.
  have [_ _ _] := leftP Ak; rewrite f2_neq0 => /eqP <-.
  rewrite mxE (bigD1 (seen A)) //= mxE !eqxx mul1r big1 ?addr0 // => c cs.
  by rewrite mxE (negPf cs) andbF mul0r.
by case: ((A^T *m left A) k 0) => [[|[|c]] cP].
Qed.

End Left.

(** ** Three quarters stay free *)

Section Next.

Variables (k : nat) (lt_kn : (k.+1 < n)%N).
Let i := Ordinal lt_kn.
Let j := Ordinal (ltnW lt_kn).
Let rest := free_to k :\: full k.
Let stays A := #|ker A (below n k.+2) (below n k.+1)| == 1%N.

(* Of those that are free up to k and not full, half stay free. *)
Lemma card_rest : #|rest| = (2 * #|[set A in rest | stays A]|)%N.
Proof.
apply: (@card_toggle _ _ _ (fun A => A + delta_mx i j)) => A; rewrite in_setD => /andP[Af Ak].
have eqK : ker (A + delta_mx i j) (below n k.+1) (below n k.+1) =
  ker A (below n k.+1) (below n k.+1).
  apply: eq_ker => r c; rewrite inE => rk _; rewrite turn_entry // -val_eqE.
  by rewrite neq_ltn /= rk.
have fullE B : B \in free_to k -> (B \in full k) =
    (#|ker B (below n k.+1) (below n k.+1)| == 1%N).
  by move=> Bk; rewrite inE Bk.
have turned : A + delta_mx i j \in free_to k by rewrite turn_free.
have more : (1 < #|ker A (below n k.+1) (below n k.+1)|)%N.
  by rewrite ltn_neqAle eq_sym -fullE // Af card_ker_gt0.
have [v vK v0] := ker_exists more.
have less : below n k = below n k.+1 :\ j by rewrite -(belowS j) setU1K // below_notin.
have one : #|ker A (below n k.+1) (below n k.+1 :\ j)| = 1%N.
  by rewrite -less; apply: (free_toP _ _ Ak j).
have vj : v j 0 != 0.
  apply: contraNneq v0 => vj; have /eqP := one; rewrite card_ker1 ker_delcol => /subsetP/(_ v).
  by rewrite inE vK vj eqxx inE => /(_ isT).
have two : #|ker A (below n k.+1) (below n k.+1)| = 2%N by rewrite (card_ker_delcol vK vj) one.
have staysE B : ker B (below n k.+1) (below n k.+1) = ker A (below n k.+1) (below n k.+1) ->
    stays B = ((B *m v) i 0 != 0).
  move=> BA; rewrite /stays -(belowS i) (@ker_pair _ _ _ _ _ _ v) ?BA //.
split; first by rewrite in_setD turned fullE // eqK -fullE // Af.
  exact: turnK.
rewrite !staysE // turn_row eqxx mul1r; move: vj; rewrite f2_neq0 => /eqP ->.
by case: ((A *m v) i 0) => [[|[|c]] cP].
Qed.

Lemma card_free_step : (4 * #|free_to k.+1| = 3 * #|free_to k|)%N.
Proof.
have freeS : free_to k.+1 = [set A in free_to k | stays A].
  apply/setP=> A; rewrite [RHS]inE; apply/free_toP/andP=> [H|[/free_toP H sA] r].
    by split; [apply/free_toP=> r rk; apply/H/leqW|apply/eqP/(H i)].
  rewrite leq_eqVlt => /orP[/eqP rE|]; last exact: H.
  by rewrite rE; apply/eqP.
have sub : full k \subset free_to k by apply/subsetP=> A; rewrite inE => /andP[].
have whole : #|free_to k| = (#|full k| + #|rest|)%N.
  by rewrite -(cardsID (full k)) (setIidPr sub).
have next : #|free_to k.+1| = (#|full k| + #|[set A in rest | stays A]|)%N.
  rewrite freeS -(cardsID (full k)); congr (_ + _)%N; apply: eq_card => A; last first.
    by rewrite !inE; case: [forall _, _]; rewrite ?andbF ?andbT.
  rewrite in_setI [A \in [set _ in _ | _]]inE; have [Af|] := boolP (A \in full k);
    last by rewrite andbF.
  rewrite (subsetP sub) //= andbT; move: Af; rewrite inE => /andP[_ /eqP one].
  rewrite /stays eqn_leq card_ker_gt0 andbT; have less : below n k.+1 \subset below n k.+2.
    by apply/subsetP=> r; rewrite !inE => /ltnW.
  by apply: leq_trans (leq_ker A less (subxx _)) _; rewrite one.
have half : #|free_to k| = (2 * #|full k|)%N := card_full j.
rewrite next; move: half; rewrite whole card_rest; move/eqP.
rewrite [X in _ == X]mul2n -[X in _ == X]addnn eqn_add2l => /eqP <-.
by rewrite -mulSnr -mulnDl !mulnA.
Qed.

End Next.

(** ** All bits *)

Lemma card_free_to (k : nat) : (k < n)%N -> (4 ^ k * #|free_to k| = 3 ^ k * 2 ^ (n * n))%N.
Proof.
elim: k => [_|k IH lt_k]; last first.
  by rewrite expnSr -mulnA card_free_step // mulnCA IH ?(ltnW lt_k) // mulnA -expnS.
rewrite !expn0 !mul1n (_ : free_to 0 = setT); last first.
  apply/setP=> A; rewrite in_setT; apply/free_toP=> i; rewrite leqn0 => /eqP i0.
  apply/eqP; rewrite card_ker1; apply/subsetP=> x /kerP[xC _]; rewrite inE; apply/eqP/matrixP=> r z.
  by rewrite (ord1 z) [RHS]mxE xC // inE i0.
by rewrite cardsT card_matrix card_F2.
Qed.

(* Free of contention, whatever b is; the vector of ones decides, as it lets every bit move. *)
Definition always_free := [set A : 'M['F_2]_n | [forall b : vec n, degree A b <= 1]%N].

Definition ones : vec n := \col__ 1.

Lemma ones_move A i : moves A ones i.
Proof. by apply/existsP; exists 0; rewrite image_bit mulmx0 !mxE add0r eq_sym oner_eq0. Qed.

(** Claims: lattice.count.ranks. *)
Theorem always_free_ranks A :
  (A \in always_free <-> forall i, \rank (minor A (below n i.+1) (below n i)) = i)
  /\ (A \in always_free <-> degree A ones <= 1)%N.
Proof.
have one_rank i : (#|ker A (below n i.+1) (below n i)| <= 1)%N ->
    \rank (minor A (below n i.+1) (below n i)) = i.
  rewrite card_ker_below ?(ltnW (ltn_ord i)) // -[X in (_ <= X)%N](expn0 2) leq_exp2l // leqn0
    subn_eq0.
  move=> ir; apply/eqP; rewrite eqn_leq ir andbT; apply: leq_trans (rank_leq_col _) _.
  by rewrite card_below // ltnW.
have all_b : (forall i, \rank (minor A (below n i.+1) (below n i)) = i) -> A \in always_free.
  move=> ranks; rewrite inE; apply/forallP=> b; apply/bigmax_leqP=> i _.
  by rewrite hou_theorem_1 ranks subnn; case: ifP.
have from_ones : (degree A ones <= 1)%N -> forall i, \rank (minor A (below n i.+1) (below n i)) = i.
  move=> /bigmax_leqP one i; apply: one_rank.
  by have := one i isT; rewrite contention_ker ones_move.
have to_ones : A \in always_free -> (degree A ones <= 1)%N by rewrite inE => /forallP/(_ ones).
split; split=> //; first by move=> /to_ones/from_ones.
by move=> /from_ones/all_b.
Qed.

Lemma always_freeE : always_free = free_to m.
Proof.
apply/setP=> A; apply/idP/free_toP=> [/(always_free_ranks A).1 ranks i _|ones_ker].
  by rewrite card_ker_below ?(ltnW (ltn_ord i)) // ranks subnn.
apply/(always_free_ranks A).1 => i; apply/eqP; rewrite eqn_leq.
have := ones_ker i (ltn_ord i : i <= m)%N; move/eqP.
rewrite card_ker_below ?(ltnW (ltn_ord i)) // -[X in _ == X](expn0 2) eqn_exp2l // subn_eq0 => ->.
by rewrite andbT; apply: leq_trans (rank_leq_col _) _; rewrite card_below // ltnW.
Qed.

(** Claims: lattice.count. *)
Theorem card_always_free : (4 ^ m * #|always_free| = 3 ^ m * 2 ^ (n * n))%N.
Proof. by rewrite always_freeE card_free_to. Qed.

(* Half of them are nonsingular, the others have rank n - 1. *)
(** Claims: lattice.count.nonsingular. *)
Theorem card_always_free_unit :
  (2 * #|[set A in always_free | A \in unitmx]| = #|always_free|)%N
  /\ forall A, A \in always_free -> A \notin unitmx -> \rank A = m.
Proof.
rewrite always_freeE; split=> [|A /free_toP/(_ ord_max (leqnn m)) one].
  rewrite (card_full ord_max); congr (2 * _)%N; apply: eq_card => A; rewrite !inE.
  by rewrite below_all card_ker_full -row_full_unit /row_full eqn_leq rank_leq_row -[X in _ ==
    X](expn0 2) eqn_exp2l ?subn_eq0.
rewrite -row_full_unit /row_full => not_full; apply/eqP;
  rewrite eqn_leq -ltnS ltn_neqAle not_full rank_leq_row /=.
have := card_ker_delcol_le A setT setT ord_max; rewrite card_ker_full.
rewrite (_ : setT :\ ord_max = below n m) -?below_all ?one ?muln1; last first.
  by rewrite -(belowS ord_max) setU1K // below_notin.
by rewrite -[X in (_ <= X)%N](expn1 2) leq_exp2l // leq_subLR addn1 ltnS.
Qed.

End Free.
