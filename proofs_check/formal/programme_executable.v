(* Loads of volumes and of sets of communications on lists of booleans, proved equal to those of
   `programme.v`.

   `build.py` has the prover evaluate them for all pairs of matrices of two bits (`sets.txt`), and a
   test compares the numbers with messages moved one by one.

   run_volume n src dst vol Z S j == the largest volume on a channel of dimension j after S
   run_load_of n A b scatter S j == the load of one communication of a set
   run_max_load n members S j == the largest load of a step, of triples of A, b and scatter or not
   run_sum_load n members S j == the sum of the loads of a step *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice programme executable.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** The program *)

Definition run_volume n (src dst : seq bool -> nat -> bool) (vol : seq bool -> nat) Z S j :=
  foldr maxn 0%N [seq sumn [seq vol x | x <- words n &
    (run_same n Z (run_place n S (src x) (dst x)) u) && (src x j != dst x j)] | u <- words n].

Definition run_load_of n A b (scatter : bool) S j := if scatter
  then run_load n (run_image n A b) (nth false) (nseq n false) S j
  else run_load n (nth false) (run_image n A b) (nseq n false) S j.

Definition run_max_load n (members : seq (seq (seq bool) * seq bool * bool)) S j :=
  foldr maxn 0%N [seq run_load_of n q.1.1 q.1.2 q.2 S j | q <- members].

Definition run_sum_load n (members : seq (seq (seq bool) * seq bool * bool)) S j :=
  sumn [seq run_load_of n q.1.1 q.1.2 q.2 S j | q <- members].

(** ** The program is the specification *)

Section Volume.

Variables (n : nat) (src dst : vec n -> vec n) (rsrc rdst : seq bool -> nat -> bool).
Variables (volume : vec n -> nat) (vol : seq bool -> nat).
Hypothesis srcE : forall x (i : 'I_n), bit (rsrc x i) = src (vec_of n x) i 0.
Hypothesis dstE : forall x (i : 'I_n), bit (rdst x i) = dst (vec_of n x) i 0.
Hypothesis volE : forall x, vol x = volume (vec_of n x).

Theorem run_volumeE Z S (j : 'I_n) : run_volume n rsrc rdst vol Z S j
  = volume_load (M := [finType of vec n]) src dst volume (set_of n Z) (set_of n S) j.
Proof.
rewrite /run_volume /volume_load -max_words; congr (foldr _ _ _); apply: eq_map => u.
rewrite sumnE big_map big_filter.
transitivity (\sum_(m <- enum [finType of vec n] | m \in carried src dst (set_of n Z) (set_of n S)
    j (vec_of n u)) volume m)%N; last by rewrite big_enum_cond.
rewrite (perm_big _ (words_perm n)) big_map; apply: eq_big => [x|x _]; last exact: volE.
by rewrite inE inE run_sameE (run_placeE srcE dstE) /moves_in -srcE -dstE bit_eq.
Qed.

End Volume.

Section Sets.

Variables (n : nat) (members : seq (seq (seq bool) * seq bool * bool)).
Let none : seq (seq bool) * seq bool * bool := ([::], [::], false).
Let at_ (r : 'I_(size members)) := nth none members r.

Lemma run_load_ofE A b scatter S (j : 'I_n) : run_load_of n A b scatter S j
  = (if scatter then scatter_load (mat_of n A) (vec_of n b) set0 (set_of n S) j
     else gather_load (mat_of n A) (vec_of n b) set0 (set_of n S) j).
Proof.
have off : set_of n (nseq n false) = set0 by apply/setP=> i; rewrite !inE nth_nseq if_same.
by rewrite /run_load_of run_gather_load run_scatter_load off.
Qed.

Theorem run_max_loadE S (j : 'I_n) : run_max_load n members S j
  = max_load (fun r => mat_of n (at_ r).1.1) (fun r => vec_of n (at_ r).1.2)
      (fun r => (at_ r).2) (set_of n S) j.
Proof.
rewrite /run_max_load foldrE big_map (big_nth none) big_mkord.
by apply: eq_bigr => r _; apply: run_load_ofE.
Qed.

Theorem run_sum_loadE S (j : 'I_n) : run_sum_load n members S j
  = sum_load (fun r => mat_of n (at_ r).1.1) (fun r => vec_of n (at_ r).1.2)
      (fun r => (at_ r).2) (set_of n S) j.
Proof.
rewrite /run_sum_load sumnE big_map (big_nth none) big_mkord.
by apply: eq_bigr => r _; apply: run_load_ofE.
Qed.

End Sets.

(** ** What is evaluated *)

From Coq Require Import String.

(* For b = (1, 0, ...), all S and j outside S: the largest volume of a gather by A, message x having
   the volume 1 + x_0 + 2 x_1; the largest load of the gather by A and the scatter by B; the sum. *)
Definition set_numbers n A B : seq nat :=
  let b := mkseq (fun i => i == 0%N) n in
  let vol x := (1 + nth false x 0 + (nth false x 1).*2)%N in
  let members := [:: (A, b, false); (B, b, true)] in
  flatten [seq flatten [seq if nth false S j then [::] else
    [:: run_volume n (nth false) (run_image n A b) vol (nseq n false) S j;
        run_max_load n members S j; run_sum_load n members S j]
  | j <- iota 0 n] | S <- words n].

(* A line for each A and B. *)
Definition sets n : seq string :=
  [seq digits (set_numbers n A B) | A <- matrices n n, B <- matrices n n].
