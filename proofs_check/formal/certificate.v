(* A checker of certificates, on lists of booleans, and that it accepts nothing false.

   A certificate of a gather or scatter y = A x + b on a hypercube names Q, its inverse and e. For
   every bit that some message changes it holds L and R with L M R = I, where M is the submatrix of
   Q A Q^-1 whose rank gives the load: so the rank is at least the size of I, and the load 2^e at
   most. For e > 0 it holds U and W with A = U W through n-1-e columns: so rank A <= n-1-e, and no
   nonsingular matrix has a degree below 2^e. On the Origin, for e = 0, two displacements
   A x + x + b that differ and are not 0 show that some message uses a channel whatever Q is.
   What the prover's program accepts is what
   `lccmodel/certificates/cubes.py` accepts; a test runs both, the program as OCaml.

   run_dot k A B i j == the sum of a_ip b_pj, p < k
   run_times m k n A B == the product of an m x k and a k x n matrix
   run_unit n == the identity
   run_equal m n A B == A and B agree in m rows and n columns
   run_within n rows A == A is 0 in the rows that are not among these, of n rows and columns
   run_across n columns A == A is 0 in the columns that are not among these
   run_still n A b i == row i of A is a unit row, and bit i of b is 0
   run_rank_ge n A rows columns k L R == L A R = I with k rows, L 0 off the rows, R off the columns
   run_step n e scatter A b i w == bit i is still, or w shows that its load is 2^e at most
   run_lower n e A b U W == no nonsingular matrix has a degree below 2^e
   run_check n e scatter A b Q Qi steps U W == the certificate is accepted
   run_origin_step n e scatter A b i w == run_step with bit 0 inside the routers
   run_displacement n A b x == A x + x + b
   run_origin_lower n e A b U W x y == no nonsingular matrix has a degree below 2^e on the Origin
   run_check_origin n e scatter A b Q Qi steps U W x y == the certificate for the Origin is accepted
   mat m n A == the m x n matrix that a list of rows stands for *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.
From lcc Require Import utility kernel lattice reordering ecube origin linear programme.
From lcc Require Import executable lcp_executable.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** The program *)

Definition run_dot k A B i j :=
  foldr (fun p s => (entry A i p && entry B p j) (+) s) false (iota 0 k).

Definition run_times m k n A B := mkseq (fun i => mkseq (fun j => run_dot k A B i j) n) m.

Definition run_unit n := mkseq (fun i => mkseq (fun j => i == j) n) n.

Definition run_equal m n A B :=
  all (fun i => all (fun j => entry A i j == entry B i j) (iota 0 n)) (iota 0 m).

Definition run_within n (rows : pred nat) A :=
  all (fun i => all (fun j => rows i || ~~ entry A i j) (iota 0 n)) (iota 0 n).

Definition run_across n (columns : pred nat) A :=
  all (fun i => all (fun j => columns j || ~~ entry A i j) (iota 0 n)) (iota 0 n).

Definition run_still n A b i :=
  all (fun j => entry A i j == (i == j)) (iota 0 n) && ~~ nth false b i.

Definition run_rank_ge n A (rows columns : pred nat) k L R :=
  [&& (k <= n)%N, run_across n rows L, run_within n columns R
    & run_equal k k (run_times k n k (run_times k n n L A) R) (run_unit k)].

Definition run_step n e (scatter : bool) A b i w :=
  if w is Some (L, R) then
    if scatter then run_rank_ge n A (leq i) (leq i.+1) (n.-1 - i - e) L R
    else run_rank_ge n A (gtn i.+1) (gtn i) (i - e) L R
  else run_still n A b i.

Definition run_lower n e A b U W := if e is 0 then ~~ all (run_still n A b) (iota 0 n)
  else (e < n)%N && run_equal n n (run_times n (n.-1 - e) n U W) A.

Definition run_check n e scatter A b Q Qi steps U W :=
  let B := run_times n n n (run_times n n n Q A) Qi in
  let c := mkseq (fun i => run_row n (nth [::] Q i) b) n in
  [&& run_equal n n (run_times n n n Q Qi) (run_unit n),
      all (fun i => run_step n e scatter B c i (nth None steps i)) (iota 0 n)
    & run_lower n e A b U W].

(* With bit 0 inside the routers. *)
Definition run_origin_step n e (scatter : bool) A b i w :=
  if w is Some (L, R) then
    if scatter then run_rank_ge n A (leq i) (fun c => (c == 0%N) || (i < c)%N) (n - i - e) L R
    else run_rank_ge n A (fun r => 0 < r <= i)%N (gtn i) (i - e) L R
  else run_still n A b i.

Definition run_displacement n A b x :=
  mkseq (fun i => run_image n A b x i (+) nth false x i) n.

Definition run_origin_lower n e A b U W x y := if e is 0
  then [&& has id (run_displacement n A b x), has id (run_displacement n A b y)
         & run_displacement n A b x != run_displacement n A b y]
  else (e < n)%N && run_equal n n (run_times n (n.-1 - e) n U W) A.

Definition run_check_origin n e scatter A b Q Qi steps U W x y :=
  let B := run_times n n n (run_times n n n Q A) Qi in
  let c := mkseq (fun i => run_row n (nth [::] Q i) b) n in
  [&& run_equal n n (run_times n n n Q Qi) (run_unit n),
      all (fun i => run_origin_step n e scatter B c i (nth None steps i)) (iota 1 n.-1)
    & run_origin_lower n e A b U W x y].

(** ** What the lists stand for *)

Definition mat m n A : 'M['F_2]_(m, n) := \matrix_(i, j) bit (entry A i j).

Lemma bit_dot k A B i j :
  bit (run_dot k A B i j) = \sum_(p < k) bit (entry A i p) * bit (entry B p j).
Proof.
transitivity (\sum_(p <- iota 0 k) bit (entry A i p) * bit (entry B p j)); last first.
  by rewrite -{1}[k]subn0 -/(index_iota 0 k) big_mkord.
rewrite /run_dot; elim: (iota 0 k) => [|p l IH]; first by rewrite big_nil.
by rewrite big_cons /= bit_add bit_and IH.
Qed.

Lemma mat_times m k n A B : mat m n (run_times m k n A B) = mat m k A *m mat k n B.
Proof.
apply/matrixP=> i j; rewrite !mxE /entry !nth_mkseq // bit_dot.
by apply: eq_bigr => p _; rewrite !mxE.
Qed.

Lemma mat_unit n : mat n n (run_unit n) = 1%:M.
Proof.
by apply/matrixP=> i j; rewrite !mxE /entry !nth_mkseq // -val_eqE; case: (_ == _).
Qed.

Lemma mat_equal m n A B : run_equal m n A B -> mat m n A = mat m n B.
Proof.
move=> /allP same; apply/matrixP=> i j; rewrite !mxE; congr bit.
have inn k (x : 'I_k) : val x \in iota 0 k by rewrite mem_iota ltn_ord.
by have /allP/(_ _ (inn _ j))/eqP := same _ (inn _ i).
Qed.

Lemma mat_of_mat n A : mat_of n A = mat n n A.
Proof. by apply/matrixP=> i j; rewrite !mxE. Qed.

Lemma vec_of_image n Q b :
  vec_of n (mkseq (fun i => run_row n (nth [::] Q i) b) n) = mat n n Q *m vec_of n b.
Proof.
apply/matrixP=> i z; rewrite (ord1 z) -mat_of_mat -run_rowE [LHS]mxE nth_mkseq //.
Qed.

(** ** Ranks *)

Lemma rank_minor_ge n (A : 'M['F_2]_n) (R C : bits n) k (L : 'M_(k, n)) (T : 'M_(n, k)) :
  (forall r p, p \notin R -> L r p = 0) -> (forall q s, q \notin C -> T q s = 0) ->
  L *m A *m T = 1%:M -> (k <= \rank (minor A R C))%N.
Proof.
move=> L0 T0 one.
pose L' : 'M['F_2]_(k, #|R|) := \matrix_(r, x) L r (enum_val x).
pose T' : 'M['F_2]_(#|C|, k) := \matrix_(y, s) T (enum_val y) s.
have : L' *m minor A R C *m T' = 1%:M.
  rewrite -one; apply/matrixP=> r s; rewrite [LHS]mxE [RHS]mxE.
  rewrite [RHS](bigID (fun q => q \in C)) /= [X in _ = _ + X]big1 ?addr0 => [|q qC]; last first.
    by rewrite T0 // mulr0.
  rewrite [RHS]big_enum_val; apply: eq_bigr => y _; rewrite [T' _ _]mxE; congr (_ * _).
  rewrite [LHS]mxE [RHS]mxE [RHS](bigID (fun p => p \in R)) /=.
  rewrite [X in _ = _ + X]big1 ?addr0 => [|p pR]; last by rewrite L0 // mul0r.
  by rewrite [RHS]big_enum_val; apply: eq_bigr => x _; rewrite !mxE.
move=> eq1; rewrite -[k](mxrank1 [fieldType of 'F_2]) -eq1.
by apply: leq_trans (mxrankM_maxl _ _) (mxrankM_maxr _ _).
Qed.

Lemma run_rank_geP n A (rows columns : pred nat) k L R (RS CS : bits n) :
  (forall p : 'I_n, (p \in RS) = rows p) -> (forall q : 'I_n, (q \in CS) = columns q) ->
  run_rank_ge n A rows columns k L R -> (k <= \rank (minor (mat n n A) RS CS))%N.
Proof.
move=> RE CE /and4P[kn /allP across /allP within same].
have inn x : (x < n)%N -> x \in iota 0 n by rewrite mem_iota.
apply: (@rank_minor_ge _ _ _ _ _ (mat k n L) (mat n k R)) => [r p|q s|]; last first.
- by rewrite -mat_times -mat_times (mat_equal same) mat_unit.
- rewrite CE mxE => /negPf qC; have s_n : (s < n)%N by apply: leq_trans kn.
  have /allP/(_ _ (inn _ s_n)) := within _ (inn _ (ltn_ord q)).
  by rewrite qC => /negPf ->.
rewrite RE mxE => /negPf pR; have r_n : (r < n)%N by apply: leq_trans kn.
have /allP/(_ _ (inn _ (ltn_ord p))) := across _ (inn _ r_n).
by rewrite pR => /negPf ->.
Qed.

(** ** What is accepted is true *)

Section Accepted.

Variables (n : nat) (A Q : seq (seq bool)) (b : seq bool).

Lemma run_stillP (B : seq (seq bool)) c (i : 'I_n) : run_still n B c i ->
  ~~ moves (mat n n B) (vec_of n c) i.
Proof.
move=> /andP[/allP row /negPf ci]; apply/existsPn=> x; rewrite negbK image_bit [vec_of _ _ _ _]mxE.
rewrite ci addr0 mxE (bigD1 i) //= big1 => [|j ji]; rewrite mxE.
  by have := row i; rewrite mem_iota ltn_ord eqxx => /(_ isT) /eqP->; rewrite mul1r addr0.
have := row j; rewrite mem_iota ltn_ord => /(_ isT) /eqP->.
by rewrite -[(val i == val j)]/(i == j) eq_sym (negPf ji) mul0r.
Qed.

Lemma exp_sub (i e r : nat) : (i - e <= r)%N -> (2 ^ (i - r) <= 2 ^ e)%N.
Proof. by move=> er; rewrite leq_exp2l // leq_subLR addnC -leq_subLR. Qed.

Lemma run_step_gather e B c (i : 'I_n) w : run_step n e false B c i w ->
  (contention (mat n n B) (vec_of n c) i <= 2 ^ e)%N.
Proof.
rewrite hou_theorem_1; case: ifP => // mv; case: w => [[L R]|] /= ok; last first.
  by have := run_stillP ok; rewrite mv.
by apply/exp_sub/(run_rank_geP _ _ ok) => p; rewrite inE.
Qed.

Lemma run_step_scatter e B c (i : 'I_n) w : run_step n e true B c i w ->
  (scatter_contention (mat n n B) (vec_of n c) i <= 2 ^ e)%N.
Proof.
rewrite /scatter_contention scatter_loadE ?inE ?ltnn //; case: ifP => // mv.
case: w => [[L R]|] /= ok; last by have := run_stillP ok; rewrite mv.
have cols (q : 'I_n) : (q \in (~: below n i :|: set0) :\ i) = (i < q)%N.
  by rewrite !inE orbF -leqNgt -val_eqE /= [RHS]ltn_neqAle eq_sym.
have rowsE (p : 'I_n) : (p \in ~: below n i :\: set0) = (i <= p)%N by rewrite !inE -leqNgt.
have size : #|(~: below n i :|: set0) :\ i| = (n.-1 - i)%N.
  have := cardsD1 i (~: below n i :|: set0); rewrite setU0 inE below_notin.
  rewrite cardsCs setCK card_ord card_below ?(ltnW (ltn_ord i)) // add1n => nE.
  by rewrite -subn1 -subnDA addnC subnDA nE subn1.
have := run_rank_geP rowsE cols ok; move: (\rank _) => r; rewrite size; exact: exp_sub.
Qed.

Lemma run_lowerP e U W : run_lower n e A b U W ->
  (2 ^ e <= 2 ^ (n.-1 - \rank (mat n n A)))%N /\ ~~ ((mat n n A == 1%:M) && (vec_of n b == 0)).
Proof.
case: e => [|e] /=.
  move=> some; split; first by rewrite expn_gt0.
  apply: contra some => /andP[/eqP A1 /eqP b0]; apply/allP=> i; rewrite mem_iota => lt_in.
  have entryE (j : nat) : (j < n)%N -> entry A i j = (i == j).
    move=> lt_jn; have /matrixP/(_ (Ordinal lt_in) (Ordinal lt_jn)) := A1.
    by rewrite !mxE -val_eqE /= -/(bit (i == j)) => /eqP; rewrite bit_eq => /eqP.
  apply/andP; split; first by apply/allP=> j; rewrite mem_iota => /entryE ->.
  have /matrixP/(_ (Ordinal lt_in) 0) := b0; rewrite !mxE -[RHS]/(bit false) => /eqP.
  by rewrite bit_eq => /eqP ->.
move=> /andP[en /mat_equal]; rewrite mat_times => AE.
have le_r : (\rank (mat n n A) <= n.-1 - e.+1)%N by rewrite -AE; apply: mulmx_max_rank.
split; first by rewrite leq_exp2l //; move: (\rank _) le_r en => r; lia.
by apply/negP=> /andP[/eqP A1 _]; move: le_r; rewrite A1 mxrank1; lia.
Qed.

Lemma run_renamed_split Qi : run_equal n n (run_times n n n Q Qi) (run_unit n) ->
  [/\ mat n n Q \in unitmx, renamed (mat n n A) (mat n n Q)
        = mat n n (run_times n n n (run_times n n n Q A) Qi)
    & mat n n Q *m vec_of n b = vec_of n (mkseq (fun i => run_row n (nth [::] Q i) b) n)].
Proof.
move=> /mat_equal; rewrite mat_times mat_unit => QQ.
have [QU QiU] := mulmx1_unit QQ; split=> //; last by rewrite vec_of_image.
by rewrite !mat_times /renamed; congr (_ *m _); rewrite -[RHS](mulKmx QU) QQ mulmx1.
Qed.

Lemma run_check_split e scatter Qi steps U W : run_check n e scatter A b Q Qi steps U W ->
  [/\ mat n n Q \in unitmx, renamed (mat n n A) (mat n n Q)
        = mat n n (run_times n n n (run_times n n n Q A) Qi),
    mat n n Q *m vec_of n b = vec_of n (mkseq (fun i => run_row n (nth [::] Q i) b) n)
    & run_lower n e A b U W].
Proof. by case/and3P=> /run_renamed_split[]. Qed.

(* A gather: the degree is 2^e at most, and no nonsingular matrix has less. *)
Theorem run_check_gather e Qi steps U W : run_check n e false A b Q Qi steps U W ->
  (degree (renamed (mat n n A) (mat n n Q)) (mat n n Q *m vec_of n b) <= 2 ^ e)%N /\
  forall P, P \in unitmx -> (2 ^ e <= degree (renamed (mat n n A) P) (P *m vec_of n b))%N.
Proof.
move=> ok; have [_ -> -> /run_lowerP[low still]] := run_check_split ok; split=> [|P PU].
  apply/bigmax_leqP=> i _; case/and3P: ok => _ /allP/(_ i) + _; rewrite mem_iota ltn_ord.
  by move=> /(_ isT)/run_step_gather.
by apply: leq_trans low _; apply: hou_theorem_3.
Qed.

(* A scatter, routed in the same order of bits. *)
Theorem run_check_scatter e Qi steps U W : run_check n e true A b Q Qi steps U W ->
  (scatter_degree (renamed (mat n n A) (mat n n Q)) (mat n n Q *m vec_of n b) <= 2 ^ e)%N /\
  forall P, P \in unitmx ->
    (2 ^ e <= scatter_degree (renamed (mat n n A) P) (P *m vec_of n b))%N.
Proof.
move=> ok; have [_ -> -> /run_lowerP[low still]] := run_check_split ok; split=> [|P PU].
  apply/bigmax_leqP=> i _; case/and3P: ok => _ /allP/(_ i) + _; rewrite mem_iota ltn_ord.
  by move=> /(_ isT)/run_step_scatter.
apply: leq_trans low _; have := least_scatter_degree_ge (mat n n A) (vec_of n b) PU.
by rewrite /least_degree (negPf still).
Qed.

End Accepted.

Section Origin.

Variables (n : nat) (A Q : seq (seq bool)) (b : seq bool).
Local Notation m := n.+1.

Lemma run_origin_step_gather e B c (i : 'I_m) w : i != ord0 -> run_origin_step m e false B c i w ->
  (origin_contention (mat m m B) (vec_of m c) i <= 2 ^ e)%N.
Proof.
move=> i0; have i_pos : (0 < i)%N by rewrite lt0n.
rewrite /origin_contention gather_loadE ?inE ?ltnn // -?val_eqE //.
case: ifP => // mv; case: w => [[L R]|] /= ok; last by have := run_stillP ok; rewrite mv.
have cols (q : 'I_m) : (q \in below m i :|: [set ord0]) = (q < i)%N.
  by rewrite !inE -val_eqE /=; lia.
have rows (p : 'I_m) : (p \in i |: below m i :\: [set ord0]) = (0 < p <= i)%N.
  by rewrite !inE -!val_eqE /=; lia.
have size : #|below m i :|: [set ord0]| = i.
  rewrite -[RHS](card_below (ltnW (ltn_ord i))); apply: eq_card => q.
  by rewrite cols inE.
have := run_rank_geP rows cols ok; move: (\rank _) => r; rewrite size; exact: exp_sub.
Qed.

Lemma run_origin_step_scatter e B c (i : 'I_m) w : i != ord0 -> run_origin_step m e true B c i w ->
  (origin_scatter_contention (mat m m B) (vec_of m c) i <= 2 ^ e)%N.
Proof.
move=> i0; have i_pos : (0 < i)%N by rewrite lt0n.
rewrite /origin_scatter_contention scatter_loadE ?inE ?ltnn // -?val_eqE //.
case: ifP => // mv; case: w => [[L R]|] /= ok; last by have := run_stillP ok; rewrite mv.
have cols (q : 'I_m) : (q \in (~: below m i :|: [set ord0]) :\ i)
    = ((q == 0%N :> nat) || (i < q)%N).
  by rewrite !inE -!val_eqE /=; lia.
have rows (p : 'I_m) : (p \in ~: below m i :\: [set ord0]) = (i <= p)%N.
  by rewrite !inE -!val_eqE /=; lia.
have size : #|(~: below m i :|: [set ord0]) :\ i| = (m - i)%N.
  have split : ~: below m i :|: [set ord0] = ord0 |: ~: below m i by rewrite setUC.
  have := cardsD1 i (~: below m i :|: [set ord0]); rewrite !inE ltnn /= add1n split.
  rewrite cardsU1 !inE i_pos /= cardsCs setCK card_ord card_below ?(ltnW (ltn_ord i)) // add1n.
  by move=> [->].
have := run_rank_geP rows cols ok; move: (\rank _) => r; rewrite size; exact: exp_sub.
Qed.

Lemma run_displacementE x : vec_of m (run_displacement m A b x)
  = mat m m A *m vec_of m x + vec_of m x + vec_of m b.
Proof.
apply/matrixP=> i z; rewrite (ord1 z) [LHS]mxE nth_mkseq // bit_add run_imageE mat_of_mat.
have -> : mat m m A *m vec_of m x + vec_of m x + vec_of m b
    = mat m m A *m vec_of m x + vec_of m b + vec_of m x by rewrite addrAC.
by rewrite [RHS]mxE [vec_of m x i 0]mxE.
Qed.

Lemma run_origin_lowerP e U W x y : run_origin_lower m e A b U W x y ->
  (2 ^ e <= origin_least (mat m m A) (vec_of m b))%N.
Proof.
have displacement_at u v : displaced_by (mat m m A) (vec_of m b) v ->
    vec_of m (run_displacement m A b u) = 0 \/ vec_of m (run_displacement m A b u) = v.
  by move=> /forallP/(_ (vec_of m u)); rewrite -run_displacementE => /orP[]/eqP ->; [left|right].
have some u : has id (run_displacement m A b u) -> vec_of m (run_displacement m A b u) != 0.
  case/(has_nthP false)=> k; rewrite size_mkseq => lt_k uk.
  apply/eqP=> /matrixP/(_ (Ordinal lt_k) 0); by rewrite !mxE uk => /eqP.
case: e => [|e].
  case/and3P=> /some x0 /some y0 xy; rewrite /origin_least ifN ?expn_gt0 //.
  apply/existsPn=> v; apply/negP=> disp; case/eqP: xy.
  have [x0'|xv] := displacement_at x v disp; first by rewrite x0' eqxx in x0.
  have [y0'|yv] := displacement_at y v disp; first by rewrite y0' eqxx in y0.
  have := etrans xv (esym yv); move/matrixP=> same; apply: (@eq_from_nth _ false).
    by rewrite !size_mkseq.
  rewrite size_mkseq => k lt_k; have /eqP := same (Ordinal lt_k) 0.
  by rewrite !mxE bit_eq => /eqP.
rewrite [run_origin_lower _ _ _ _ _ _ _ _]/= => /andP[en /mat_equal]; rewrite mat_times => AE.
have le_r : (\rank (mat m m A) <= n - e.+1)%N by rewrite -AE; apply: mulmx_max_rank.
have low := @hou_lemma_3_1 n (mat m m A) (vec_of m b).
have [P PU <-] := origin_least_reached (mat m m A) (vec_of m b).
apply: leq_trans (low P PU _); first by rewrite leq_exp2l //; move: le_r; lia.
by move: le_r; lia.
Qed.

(* A gather on the Origin. *)
Theorem run_check_origin_gather e Qi steps U W x y :
  run_check_origin m e false A b Q Qi steps U W x y ->
  (origin_degree (renamed (mat m m A) (mat m m Q)) (mat m m Q *m vec_of m b) <= 2 ^ e)%N /\
  forall P, P \in unitmx ->
    (2 ^ e <= origin_degree (renamed (mat m m A) P) (P *m vec_of m b))%N.
Proof.
case/and3P=> /(run_renamed_split A b)[_ -> ->] /allP ok /run_origin_lowerP low; split=> [|P PU].
  apply/bigmax_leqP=> i i0; apply: (run_origin_step_gather i0 (ok i _)).
  by rewrite mem_iota lt0n i0 ltn_ord.
exact: leq_trans low (origin_least_ge _ _ PU).
Qed.

(* A scatter, routed in the same order of bits. *)
Theorem run_check_origin_scatter e Qi steps U W x y :
  run_check_origin m e true A b Q Qi steps U W x y ->
  (origin_scatter_degree (renamed (mat m m A) (mat m m Q)) (mat m m Q *m vec_of m b) <= 2 ^ e)%N /\
  forall P, P \in unitmx ->
    (2 ^ e <= origin_scatter_degree (renamed (mat m m A) P) (P *m vec_of m b))%N.
Proof.
case/and3P=> /(run_renamed_split A b)[_ -> ->] /allP ok /run_origin_lowerP low; split=> [|P PU].
  apply/bigmax_leqP=> i i0; apply: (run_origin_step_scatter i0 (ok i _)).
  by rewrite mem_iota lt0n i0 ltn_ord.
rewrite origin_scatter_reversed renamed_mul ?unitmx_perm // mulmxA.
by apply: leq_trans low (origin_least_ge _ _ _); rewrite unitmx_mul unitmx_perm.
Qed.

End Origin.
