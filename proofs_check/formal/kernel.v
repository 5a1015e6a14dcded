(* Kernels: the one tool behind every theorem of this folder.

   Vectors are columns of bits. A set R of rows and a set C of columns of a matrix A cut out the
   submatrix A_(R,C) (`minor`), and the *kernel* `ker A R C` holds the vectors that are 0 outside C
   and that the rows R of A map to 0. There are 2^(|C| - rank A_(R,C)) of them (`card_ker`).

   Instead of manipulating ranks the proofs halve kernels: a subspace on which a linear form is not
   always 0 is twice as large as the part where it is 0 (`card_halve`). So one more row, or one
   column less, leaves a kernel as it is or halves it.

   vec n == columns of n bits
   bits n == sets of bits
   ker A R C == the vectors that are 0 outside the columns C and that the rows R of A map to 0
   minor A R C == the submatrix A_(R,C): rows R, columns C
   subspace V == 0 is in V, and sums of its vectors *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Export utility.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Notation vec n := 'cV['F_2]_n.
Notation bits n := {set 'I_n}.

(** ** Halving a subspace *)

Definition subspace n (V : {set vec n}) : Prop :=
  0 \in V /\ forall x y, x \in V -> y \in V -> x + y \in V.

Section Halving.

Variables (n : nat) (V : {set vec n}) (form : vec n -> 'F_2).
Hypotheses (subV : subspace V) (form_add : forall x y, form (x + y) = form x + form y).

Let zeros := [set x in V | form x == 0].

Lemma card_halve v : v \in V -> form v != 0 -> #|V| = (2 * #|zeros|)%N.
Proof.
move=> Vv fv; have [_ addV] := subV.
have -> : V = zeros :|: [set x + v | x in zeros].
  apply/setP=> x; rewrite !inE; apply/idP/idP.
    move=> Vx; rewrite Vx /=; have [//|fx] := boolP (form x == 0).
    apply/imsetP; exists (x + v); last by rewrite vec_addK.
    rewrite inE addV //= form_add f2_add_eq0.
    by move: fx fv; rewrite !f2_neq0 => /eqP -> /eqP ->.
  by case/orP=> [/andP[]//|/imsetP[y]]; rewrite inE => /andP[Vy _] ->; apply: addV.
rewrite cardsU card_imset; last exact: addIr.
rewrite (_ : _ :&: _ = set0) ?cards0 ?subn0 ?mul2n ?addnn //.
apply/setP=> x; rewrite !inE; apply/negP=> /andP[/andP[_ /eqP fx] /imsetP[y]].
rewrite inE => /andP[_ /eqP fy] xE; move: fx; rewrite xE form_add fy add0r => /eqP.
by rewrite (negPf fv).
Qed.

Lemma card_halve_le : (#|V| <= 2 * #|zeros|)%N.
Proof.
have [/exists_inP[v Vv fv]|/exists_inPn none] := boolP [exists v in V, form v != 0].
  by rewrite (card_halve Vv fv).
rewrite (_ : zeros = V) ?leq_pmull //; apply/setP=> x; rewrite inE.
by have [Vx|] := boolP (x \in V) => //=; apply/negPn/none.
Qed.

End Halving.

(** ** Kernels *)

Definition ker m n (A : 'M['F_2]_(m, n)) (R : bits m) (C : bits n) : {set vec n} :=
  [set x : vec n | [forall i, (i \notin C) ==> (x i 0 == 0)]
                   && [forall i in R, (A *m x) i 0 == 0]].

Definition minor m n (A : 'M['F_2]_(m, n)) (R : bits m) (C : bits n) : 'M_(#|R|, #|C|) :=
  mxsub (@enum_val _ (mem R)) (@enum_val _ (mem C)) A.

Section Kernel.

Variables (m n : nat).
Implicit Types (A : 'M['F_2]_(m, n)) (R : bits m) (C : bits n) (x y : vec n).

Lemma kerP A R C x :
  reflect ((forall i, i \notin C -> x i 0 = 0) /\ (forall i, i \in R -> (A *m x) i 0 = 0))
          (x \in ker A R C).
Proof.
rewrite inE; apply: (iffP andP) => [[/forallP off /forall_inP rows]|[off rows]]; split.
- by move=> i iC; apply/eqP; move: (off i); rewrite iC.
- by move=> i iR; apply/eqP/rows.
- by apply/forallP=> i; apply/implyP=> iC; rewrite off.
- by apply/forall_inP=> i iR; rewrite rows.
Qed.

Lemma ker_subspace A R C : subspace (ker A R C).
Proof.
split=> [|x y /kerP[xC xR] /kerP[yC yR]]; apply/kerP; split=> i iX.
- by rewrite mxE.
- by rewrite mulmx0 mxE.
- by rewrite mxE xC // yC // addr0.
by rewrite mulmxDr mxE xR // yR // addr0.
Qed.

Lemma ker0 A R C : 0 \in ker A R C. Proof. by case: (ker_subspace A R C). Qed.

Lemma ker_add A R C x y : x \in ker A R C -> y \in ker A R C -> x + y \in ker A R C.
Proof. by case: (ker_subspace A R C) => _; apply. Qed.

Lemma card_ker_gt0 A R C : (0 < #|ker A R C|)%N.
Proof. by apply/card_gt0P; exists 0; apply: ker0. Qed.

Lemma ker_sub A R R' C C' : R' \subset R -> C \subset C' -> ker A R C \subset ker A R' C'.
Proof.
move=> RR CC; apply/subsetP=> x /kerP[xC xR]; apply/kerP; split=> i iX.
  by apply/xC/(contra _ iX)/subsetP.
by apply/xR/(subsetP RR).
Qed.

Lemma leq_ker A R R' C C' : R' \subset R -> C \subset C' -> (#|ker A R C| <= #|ker A R' C'|)%N.
Proof. by move=> RR CC; apply/subset_leq_card/ker_sub. Qed.

Lemma ker_addrow A R C i : ker A (i |: R) C = [set x in ker A R C | (A *m x) i 0 == 0].
Proof.
apply/setP=> x; rewrite inE; apply/kerP/andP.
  move=> [xC xR]; split; last by rewrite xR ?setU11.
  by apply/kerP; split=> // k kR; apply: xR; rewrite inE kR orbT.
case=> /kerP[xC xR] /eqP xi; split=> // k; rewrite !inE => /orP[/eqP-> //|]; exact: xR.
Qed.

Lemma ker_delcol A R C j : ker A R (C :\ j) = [set x in ker A R C | x j 0 == 0].
Proof.
apply/setP=> x; rewrite inE; apply/kerP/andP.
  move=> [xC xR]; split; last by rewrite xC // !inE eqxx.
  by apply/kerP; split=> // k kC; apply: xC; rewrite !inE negb_and kC orbT.
case=> /kerP[xC xR] /eqP xj; split=> // k; rewrite !inE negb_and negbK => /orP[/eqP-> //|].
exact: xC.
Qed.

Lemma row_additive A i x y : (A *m (x + y)) i 0 = (A *m x) i 0 + (A *m y) i 0.
Proof. by rewrite mulmxDr mxE. Qed.

Lemma bit_additive j x y : (x + y) j 0 = x j 0 + y j 0. Proof. by rewrite mxE. Qed.

Lemma card_ker_addrow_le A R C i : (#|ker A R C| <= 2 * #|ker A (i |: R) C|)%N.
Proof. by rewrite ker_addrow; apply/card_halve_le/row_additive/ker_subspace. Qed.

Lemma card_ker_delcol_le A R C j : (#|ker A R C| <= 2 * #|ker A R (C :\ j)|)%N.
Proof. by rewrite ker_delcol; apply/card_halve_le/bit_additive/ker_subspace. Qed.

Lemma card_ker_addrow A R C i x :
  x \in ker A R C -> (A *m x) i 0 != 0 -> #|ker A R C| = (2 * #|ker A (i |: R) C|)%N.
Proof. by move=> xK xi; rewrite ker_addrow; apply: (card_halve _ _ xK xi);
  [apply: ker_subspace | apply: row_additive]. Qed.

Lemma card_ker_delcol A R C j x :
  x \in ker A R C -> x j 0 != 0 -> #|ker A R C| = (2 * #|ker A R (C :\ j)|)%N.
Proof. by move=> xK xj; rewrite ker_delcol; apply: (card_halve _ _ xK xj);
  [apply: ker_subspace | apply: bit_additive]. Qed.

Lemma ker_exists A R C : (1 < #|ker A R C|)%N -> exists2 x, x \in ker A R C & x != 0.
Proof.
rewrite (cardsD1 0) ker0 add1n ltnS => /card_gt0P[x]; rewrite !inE => /andP[x0 xK].
by exists x; rewrite // inE.
Qed.

Lemma card_ker1 A R C : (#|ker A R C| == 1%N) = (ker A R C \subset [set 0]).
Proof.
apply/idP/idP=> [/cards1P[x KE]|sub].
  by rewrite KE; have := ker0 A R C; rewrite KE inE => /eqP ->.
by rewrite eqn_leq card_ker_gt0 andbT; have := subset_leq_card sub; rewrite cards1.
Qed.

Lemma vec_exists_bit x : x != 0 -> exists i, x i 0 != 0.
Proof.
move=> x0; apply/existsP; apply: contraNT x0 => /existsPn none.
by apply/eqP/matrixP=> i j; rewrite mxE (ord1 j); apply/eqP/negPn/none.
Qed.

(* A vector that is 0 off bit z is one of two. *)
Lemma vec_one_bit z x : (forall i, i != z -> x i 0 = 0) -> x \in [set 0; delta_mx z 0].
Proof.
move=> xi; rewrite !inE; have [x0|x1] := eqVneq (x z 0) 0; apply/orP; [left|right];
  apply/eqP/matrixP=> i k; rewrite (ord1 k) [RHS]mxE; have [->|iz] := eqVneq i z.
- by rewrite x0.
- by rewrite xi.
- by apply/eqP; rewrite -f2_neq0.
- by rewrite xi.
Qed.

Lemma card_pair_le (x y : vec n) : (#|[set x; y]| <= 2)%N.
Proof. by rewrite cards2; case: eqP. Qed.

Lemma ker_bit_in A R C x i : x \in ker A R C -> x i 0 != 0 -> i \in C.
Proof. by move=> /kerP[xC _]; apply: contraR => /xC ->. Qed.

End Kernel.

Lemma ker_full m n (A : 'M['F_2]_(m, n)) : ker A setT setT = [set x : vec n | A *m x == 0].
Proof.
apply/setP=> x; rewrite [in RHS]inE; apply/kerP/eqP=> [[_ xR]|->].
  by apply/matrixP=> i j; rewrite (ord1 j) xR ?inE // mxE.
by split=> i; rewrite ?inE // mxE.
Qed.

(** ** How many vectors a kernel has *)

Lemma card_rowspace m n (A : 'M['F_2]_(m, n)) :
  #|[set v : 'rV['F_2]_n | (v <= A)%MS]| = (2 ^ \rank A)%N.
Proof.
have -> : [set v : 'rV_n | (v <= A)%MS] = [set u *m row_base A | u in [set: 'rV_(\rank A)]].
  apply/setP=> v; rewrite [LHS]inE.
  have -> : (v <= A)%MS = (v <= row_base A)%MS by rewrite eq_row_base.
  by apply/submxP/imsetP=> [[u ->]|[u _ ->]]; exists u.
rewrite card_imset; last exact/row_free_inj/row_base_free.
by rewrite cardsT card_matrix card_F2 mul1n.
Qed.

Lemma card_solutions m n (A : 'M['F_2]_(m, n)) :
  #|[set x : vec n | A *m x == 0]| = (2 ^ (n - \rank A))%N.
Proof.
rewrite -mxrank_tr -mxrank_ker -card_rowspace.
rewrite -(card_imset (mem [set v : 'rV_n | _]) (@trmx_inj _ 1 n)); congr #|pred_of_set _|.
apply/setP=> x; rewrite inE; apply/eqP/imsetP=> [xA|[v]].
  by exists x^T; rewrite ?trmxK // inE; apply/sub_kermxP; rewrite -trmx_mul xA trmx0.
by rewrite inE => /sub_kermxP vA ->; rewrite -[A]trmxK -trmx_mul vA trmx0.
Qed.

Section CardKernel.

Variables (m n : nat) (A : 'M['F_2]_(m, n)) (R : bits m) (C : bits n).

(* A vector on the columns C, as one on all columns. *)
Definition extend (z : vec #|C|) : vec n :=
  \col_i \sum_(k | enum_val k == i) z k 0.

Lemma extend_in z k : extend z (enum_val k) 0 = z k 0.
Proof.
rewrite mxE (big_pred1 k) // => k'; apply/eqP/eqP=> [|->//]; exact: enum_val_inj.
Qed.

Lemma extend_out z i : i \notin C -> extend z i 0 = 0.
Proof.
by move=> iC; rewrite mxE big1 // => k /eqP ki; rewrite -ki enum_valP in iC.
Qed.

Lemma mul_extend z i : (A *m extend z) i 0 = \sum_k A i (enum_val k) * z k 0.
Proof.
rewrite mxE (bigID (fun j => j \in C)) /= addrC big1 ?add0r => [|j jC]; last first.
  by rewrite extend_out // mulr0.
rewrite big_enum_val; apply: eq_bigr => k _; by rewrite extend_in.
Qed.

Lemma mul_minor z k : (minor A R C *m z) k 0 = (A *m extend z) (enum_val k) 0.
Proof. by rewrite mul_extend mxE; apply: eq_bigr => j _; rewrite !mxE. Qed.

Lemma ker_extend : ker A R C = extend @: [set z | minor A R C *m z == 0].
Proof.
apply/setP=> x; apply/kerP/imsetP.
  move=> [xC xR]; exists (\col_k x (enum_val k) 0); last first.
    apply/matrixP=> i j; rewrite (ord1 j); have [iC|iC] := boolP (i \in C); last first.
      by rewrite extend_out // xC.
    by rewrite -(enum_rankK_in iC iC) extend_in mxE.
  rewrite inE; apply/eqP/matrixP=> i j; rewrite (ord1 j) mul_minor mul_extend mxE.
  rewrite -[RHS](xR (enum_val i) (enum_valP i)) mxE [RHS](bigID (fun j => j \in C)) /=.
  rewrite [X in _ = _ + X]big1 ?addr0 => [|k kC]; last by rewrite xC // mulr0.
  by rewrite [RHS]big_enum_val; apply: eq_bigr => k _; rewrite mxE.
case=> z; rewrite inE => /eqP zA ->; split=> i iX; first exact: extend_out.
by rewrite -(enum_rankK_in iX iX) -mul_minor zA mxE.
Qed.

Lemma extend_inj : injective extend.
Proof.
by move=> y z yz; apply/matrixP=> k j; rewrite (ord1 j) -!extend_in yz.
Qed.

(* There are 2^(|C| - rank A_(R,C)) vectors in the kernel. *)
Lemma card_ker : #|ker A R C| = (2 ^ (#|C| - \rank (minor A R C)))%N.
Proof. by rewrite ker_extend card_imset ?card_solutions //; apply: extend_inj. Qed.

End CardKernel.

Lemma card_ker_full m n (A : 'M['F_2]_(m, n)) : #|ker A setT setT| = (2 ^ (n - \rank A))%N.
Proof. by rewrite ker_full card_solutions. Qed.

(** ** Equal entries, transposes, kernels of two *)

Lemma eq_ker m n (A B : 'M['F_2]_(m, n)) (R : bits m) (C : bits n) :
  (forall i j, i \in R -> j \in C -> A i j = B i j) -> ker A R C = ker B R C.
Proof.
move=> AB; have rows (x : vec n) i : (forall j, j \notin C -> x j 0 = 0) -> i \in R ->
    (A *m x) i 0 = (B *m x) i 0.
  move=> xC iR; rewrite !mxE; apply: eq_bigr => j _; have [jC|jC] := boolP (j \in C).
    by rewrite AB.
  by rewrite xC // !mulr0.
apply/setP=> x; apply/kerP/kerP=> -[xC xR]; split=> // i iR.
  by rewrite -rows // xR.
by rewrite rows // xR.
Qed.

Lemma card_ker_tr m n (A : 'M['F_2]_(m, n)) (R : bits m) (C : bits n) :
  (#|ker A R C| * 2 ^ #|R| = #|ker A^T C R| * 2 ^ #|C|)%N.
Proof.
have trE : minor A^T C R = (minor A R C)^T by apply/matrixP=> i j; rewrite !mxE.
rewrite !card_ker trE mxrank_tr -!expnD; congr (2 ^ _)%N.
have := rank_leq_row (minor A R C); have := rank_leq_col (minor A R C).
by move=> rC rR; rewrite addnC addnBA // [RHS]addnC addnBA // addnC.
Qed.

(* If a kernel is {0, v}, one more row leaves 0 alone just when it does not vanish at v. *)
Lemma ker_pair m n (A : 'M['F_2]_(m, n)) (R : bits m) (C : bits n) i v :
  #|ker A R C| = 2%N -> v \in ker A R C -> v != 0 ->
  (#|ker A (i |: R) C| == 1%N) = ((A *m v) i 0 != 0).
Proof.
move=> two vK v0; have [vi|vi] := eqVneq ((A *m v) i 0) 0; last first.
  have /eqP := card_ker_addrow vK vi; rewrite two -[X in X == _](muln1 2%N) eqn_pmul2l // eq_sym.
  by move=> ->.
apply/negP; rewrite card_ker1 => /subsetP/(_ v); rewrite ker_addrow.
by rewrite inE vK vi eqxx inE (negPf v0) => /(_ isT).
Qed.
