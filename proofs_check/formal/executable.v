(* The lattice as a program on lists of booleans, proved equal to the specification.

   A word is a list of bits, a matrix a list of rows, a set of bits a word too. `run_load` and
   `run_occupancy` move every message and count, as the definitions of `lattice.v` say; the theorems
   at the end state that they compute these definitions. `build.py` has the prover evaluate them on
   all pairs (A, b) with n <= 3, and a test compares the numbers with the checker's and
   the library's.

   words n == all lists of n bits
   run_row n r x == the sum of r_j x_j
   run_image n A b x i == bit i of A x + b
   run_place n S src dst == p_S
   run_same n Z u v == u and v agree outside Z
   run_occupancy n src dst Z S == occupancy, by moving every message
   run_load n src dst Z S j == load, by moving every message
   run_table n src dst == the loads of all S and j
   run_lookup n table S j == the load of S and j in a table
   run_correct n S j == the set S + j
   run_degree n table S v l == the largest load along an order
   bit a == a boolean as a number modulo 2
   vec_of n x == the vector that a list stands for
   mat_of n A == the matrix that a list of rows stands for
   set_of n x == the set that a list stands for *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice programme.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** The program *)

Fixpoint words n : seq (seq bool) := if n is n'.+1 then
  let w := words n' in map (cons false) w ++ map (cons true) w else [:: [::]].

Definition run_row n (r x : seq bool) :=
  foldr (fun j a => (nth false r j && nth false x j) (+) a) false (iota 0 n).

Definition run_image n (A : seq (seq bool)) (b x : seq bool) i :=
  run_row n (nth [::] A i) x (+) nth false b i.

Definition run_place n (S : seq bool) (src dst : nat -> bool) :=
  mkseq (fun i => if nth false S i then dst i else src i) n.

Definition run_same n (Z u v : seq bool) :=
  all (fun i => nth false Z i || (nth false u i == nth false v i)) (iota 0 n).

Definition run_occupancy n (src dst : seq bool -> nat -> bool) Z S :=
  let places := [seq run_place n S (src x) (dst x) | x <- words n] in
  foldr maxn 0%N [seq count (fun p => run_same n Z p u) places | u <- words n].

Definition run_load n (src dst : seq bool -> nat -> bool) Z S j :=
  let places := [seq run_place n S (src x) (dst x) | x <- words n & src x j != dst x j] in
  foldr maxn 0%N [seq count (fun p => run_same n Z p u) places | u <- words n].

(* All loads at once, and the largest along an order. *)
Definition run_table n (src dst : seq bool -> nat -> bool) :=
  [seq [seq if nth false S j then 0%N else run_load n src dst (nseq n false) S j | j <- iota 0 n]
  | S <- words n].

Definition run_lookup n (table : seq (seq nat)) S j :=
  nth 0%N (nth [::] table (index S (words n))) j.

Definition run_correct n (S : seq bool) j := mkseq (fun i => (i == j) || nth false S i) n.

Fixpoint run_degree n table S v (l : seq nat) := if l is j :: l' then
  run_degree n table (run_correct n S j) (maxn v (run_lookup n table S j)) l' else v.

(** ** What the lists stand for *)

Section Meaning.

Variable n : nat.
Implicit Types (x : seq bool) (A : seq (seq bool)).

Definition bit (a : bool) : 'F_2 := a%:R.
Definition vec_of x : vec n := \col_(i < n) bit (nth false x i).
Definition mat_of A : 'M['F_2]_n := \matrix_(i, j) bit (nth false (nth [::] A i) j).
Definition set_of x : bits n := [set i : 'I_n | nth false x i].

Lemma bit_add a c : bit (a (+) c) = bit a + bit c.
Proof. by case: a c => [] []; apply/val_inj. Qed.

Lemma bit_and a c : bit (a && c) = bit a * bit c.
Proof. by case: a c => [] []; apply/val_inj. Qed.

Lemma bit_eq a c : (bit a == bit c) = (a == c).
Proof. by case: a c => [] []. Qed.

Lemma run_rowE A x (i : 'I_n) : bit (run_row n (nth [::] A i) x) = (mat_of A *m vec_of x) i 0.
Proof.
transitivity (\sum_(j <- iota 0 n) bit (nth false (nth [::] A i) j) * bit (nth false x j)).
  rewrite /run_row; elim: (iota 0 n) => [|j l IH]; first by rewrite big_nil.
  by rewrite big_cons /= bit_add bit_and IH.
rewrite -{1}[n]subn0 -/(index_iota 0 n) big_mkord mxE; apply: eq_bigr => j _.
by rewrite !mxE.
Qed.

Lemma run_imageE A b x (i : 'I_n) :
  bit (run_image n A b x i) = image (mat_of A) (vec_of b) (vec_of x) i 0.
Proof. by rewrite bit_add run_rowE image_bit [vec_of b i 0]mxE. Qed.

Lemma run_sameE Z u v : run_same n Z u v = same_router (set_of Z) (vec_of u) (vec_of v).
Proof.
apply/allP/forallP=> [same i|same i]; last first.
  rewrite mem_iota => lt_i; have := same (Ordinal lt_i).
  by rewrite !mxE inE bit_eq /=; case: (nth false Z i).
have := same i; rewrite mem_iota ltn_ord => /(_ isT).
by rewrite !mxE inE bit_eq; case: (nth false Z i).
Qed.

Lemma mem_words m w : (w \in words m) = (size w == m).
Proof.
elim: m w => [|m IH] [|a w] //=; rewrite mem_cat.
  by apply/orP=> -[] /mapP[].
rewrite eqSS -IH; apply/orP/idP=> [[] /mapP[w' w'm [_ ->]] //|wm].
by case: a; [right | left]; apply: map_f.
Qed.

Lemma words_uniq m : uniq (words m).
Proof.
elim: m => //= m IH; rewrite cat_uniq !map_inj_uniq ?IH; try by move=> ? ? [].
by rewrite andbT; apply/hasPn=> _ /mapP[w _ ->]; apply/mapP=> -[].
Qed.

Lemma words_perm : perm_eq (enum [finType of vec n]) (map vec_of (words n)).
Proof.
apply: uniq_perm; first exact: enum_uniq.
  rewrite map_inj_in_uniq ?words_uniq // => x y; rewrite !mem_words => /eqP xn /eqP yn xy.
  apply: (@eq_from_nth _ false); rewrite ?xn ?yn // => i lt_in.
  by have /matrixP/(_ (Ordinal lt_in) 0)/eqP := xy; rewrite !mxE bit_eq => /eqP.
move=> v; rewrite mem_enum inE; symmetry; apply/mapP.
exists (mkseq (fun i => if insub i is Some k then v k 0 == 1 else false) n).
  by rewrite mem_words size_mkseq.
apply/matrixP=> i k; rewrite (ord1 k) mxE nth_mkseq // valK.
by case: (v i 0) => [[|[|c]] cP]; apply/val_inj.
Qed.

Lemma count_words (P : pred (vec n)) : count (P \o vec_of) (words n) = #|[set v | P v]|.
Proof.
rewrite -count_map -(seq.permP words_perm P) cardsE cardE -size_filter; congr size.
by rewrite enumT; apply: eq_filter => v.
Qed.

Lemma max_words (F : vec n -> nat) :
  foldr maxn 0%N [seq F (vec_of u) | u <- words n] = \max_u F u.
Proof.
have -> : \max_u F u = \max_(u <- enum [finType of vec n]) F u by rewrite big_enum.
rewrite (perm_big _ words_perm) big_map.
by elim: (words n) => [|w l IH]; rewrite ?big_nil ?big_cons //= IH.
Qed.

(** ** The program is the specification *)

Section Run.

Variables (src dst : vec n -> vec n) (rsrc rdst : seq bool -> nat -> bool).
Hypothesis srcE : forall x (i : 'I_n), bit (rsrc x i) = src (vec_of x) i 0.
Hypothesis dstE : forall x (i : 'I_n), bit (rdst x i) = dst (vec_of x) i 0.

Lemma run_placeE S x :
  vec_of (run_place n S (rsrc x) (rdst x)) = place src dst (set_of S) (vec_of x).
Proof.
apply/matrixP=> i k; rewrite (ord1 k) [LHS]mxE [RHS]mxE nth_mkseq // inE.
by case: ifP => _; rewrite ?srcE ?dstE.
Qed.

Theorem run_loadE Z S (j : 'I_n) :
  run_load n rsrc rdst Z S j = load (M := [finType of vec n]) src dst (set_of Z) (set_of S) j.
Proof.
rewrite /run_load /load -max_words; congr (foldr _ _ _); apply: eq_map => u.
rewrite count_map count_filter -count_words; apply: eq_count => x /=.
by rewrite run_sameE run_placeE /moves_in -srcE -dstE bit_eq ?inE.
Qed.

Theorem run_occupancyE Z S :
  run_occupancy n rsrc rdst Z S
  = occupancy (M := [finType of vec n]) src dst (set_of Z) (set_of S).
Proof.
rewrite /run_occupancy /occupancy -max_words; congr (foldr _ _ _); apply: eq_map => u.
rewrite count_map -count_words; apply: eq_count => x /=.
by rewrite run_sameE run_placeE.
Qed.

Lemma run_lookupE S (j : 'I_n) : size S = n -> ~~ nth false S j ->
  run_lookup n (run_table n rsrc rdst) S j
  = load (M := [finType of vec n]) src dst set0 (set_of S) j.
Proof.
move=> Sn /negPf jS; have Sw : S \in words n by rewrite mem_words Sn.
rewrite /run_lookup (nth_map [::]) ?index_mem // nth_index // (nth_map 0%N) ?size_iota //.
rewrite nth_iota // add0n jS run_loadE; congr (load _ _ _ _ _); apply/setP=> i.
by rewrite !inE nth_nseq if_same.
Qed.

(* The largest load along an order, S being corrected already. *)
Theorem run_degreeE S v (l : seq 'I_n) : size S = n ->
  uniq l -> (forall j : 'I_n, j \in l -> ~~ nth false S j) ->
  run_degree n (run_table n rsrc rdst) S v (map val l)
  = cost (load (M := [finType of vec n]) src dst set0) maxn (set_of S) v l.
Proof.
elim: l S v => //= j l IH S v Sn /andP[jl lU] out.
rewrite run_lookupE ?out ?mem_head // IH ?size_mkseq // => [|k kl].
  by congr cost; apply/setP=> i; rewrite !inE nth_mkseq // val_eqE.
rewrite nth_mkseq // negb_or out ?inE ?kl ?orbT // val_eqE andbT.
by apply: contraNneq jl => <-.
Qed.

End Run.

Variables (A : seq (seq bool)) (b : seq bool).

Lemma run_idE x (i : 'I_n) : bit (nth false x i) = id (vec_of x) i 0.
Proof. by rewrite mxE. Qed.

Theorem run_gather_load Z S (j : 'I_n) :
  run_load n (nth false) (run_image n A b) Z S j
  = gather_load (mat_of A) (vec_of b) (set_of Z) (set_of S) j.
Proof. exact: run_loadE run_idE (run_imageE A b) Z S j. Qed.

Theorem run_scatter_load Z S (j : 'I_n) :
  run_load n (run_image n A b) (nth false) Z S j
  = scatter_load (mat_of A) (vec_of b) (set_of Z) (set_of S) j.
Proof. exact: run_loadE (run_imageE A b) run_idE Z S j. Qed.

Theorem run_gather_occupancy Z S :
  run_occupancy n (nth false) (run_image n A b) Z S
  = gather_occupancy (mat_of A) (vec_of b) (set_of Z) (set_of S).
Proof. exact: run_occupancyE run_idE (run_imageE A b) Z S. Qed.

Theorem run_scatter_occupancy Z S :
  run_occupancy n (run_image n A b) (nth false) Z S
  = scatter_occupancy (mat_of A) (vec_of b) (set_of Z) (set_of S).
Proof. exact: run_occupancyE (run_imageE A b) run_idE Z S. Qed.

End Meaning.

(** ** What is evaluated *)

From Coq Require Import Ascii String.

(* All matrices of k rows of n bits. *)
Fixpoint matrices n k : seq (seq (seq bool)) := if k is k'.+1 then
  [seq r :: A | r <- words n, A <- matrices n k'] else [:: [::]].

(* All lists of k of the bits 0, ..., n-1, and all orders, in ascending order. *)
Fixpoint lists n k : seq (seq nat) := if k is k'.+1 then
  [seq j :: l | j <- iota 0 n, l <- lists n k'] else [:: [::]].

Definition orders n := [seq l <- lists n n | uniq l].

(* For every S: both occupancies; for every j outside S both loads, then those on the Origin. At the
   end for every order the degree of the gather, and that of the scatter. *)
Definition evaluate n (A : seq (seq bool)) (b : seq bool) : seq nat :=
  let none := nseq n false in let inner := true :: nseq n.-1 false in
  let direct := nth false in let image := run_image n A b in
  let gather := run_table n direct image in let scatter := run_table n image direct in
  flatten [seq run_occupancy n direct image none S :: run_occupancy n image direct none S ::
    flatten [seq if nth false S j then [::] else
      run_lookup n gather S j :: run_lookup n scatter S j ::
      (if (j == 0%N) || nth false S 0 then [::]
       else [:: run_load n direct image inner S j; run_load n image direct inner S j])
    | j <- iota 0 n] | S <- words n]
  ++ flatten [seq [seq run_degree n table none 0 l | table <- [:: gather; scatter]]
             | l <- orders n].

Definition digits (l : seq nat) : string :=
  foldr (fun k s => String (ascii_of_nat (48 + k)) s) EmptyString l.

(* One line for each matrix: all vectors b, one after another. *)
Definition evaluated n : seq string :=
  [seq digits (flatten [seq evaluate n A b | b <- words n]) | A <- matrices n n].
