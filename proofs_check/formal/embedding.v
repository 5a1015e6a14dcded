(* Diaz de Cerio, Valero-Garcia, Gonzalez: the standard embedding of a hypercube in a mesh.

   Bit i of a process is bit i div c of its coordinate on axis i mod c. So a neighbour across
   dimension i differs in that coordinate alone, by one power of two, whatever the other bits are.

   coordinate x j == of process x on axis j: bit i of x counts 2^(i div c), i = j mod c
   neighbour i x == process x with bit i changed
   distance x y == the links between the nodes of x and y *)

From mathcomp Require Import all_ssreflect.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Embedding.

(* 2^d processes, on a mesh of c axes. *)
Variables (d c : nat).
Implicit Types (x : {ffun 'I_d -> bool}) (i k : 'I_d) (j : nat).

Definition coordinate x j := \sum_(i < d | i %% c == j) x i * 2 ^ (i %/ c).

(* The neighbour N_i of a process. *)
Definition neighbour i x := [ffun k => if k == i then ~~ x k else x k].

(* The number of links between two nodes of the mesh. *)
Definition distance x y := \sum_(j < c) (maxn (coordinate x j) (coordinate y j)
                                         - minn (coordinate x j) (coordinate y j)).

Lemma coordinate_bit x i :
  coordinate x (i %% c) = x i * 2 ^ (i %/ c)
    + \sum_(k < d | (k %% c == i %% c) && (k != i)) x k * 2 ^ (k %/ c).
Proof. by rewrite /coordinate (bigD1 i). Qed.

(* The path to a neighbour uses one axis. *)
(** Claims: calmant.embed.axis. *)
Theorem embedding_axis x i j : j != i %% c -> coordinate (neighbour i x) j = coordinate x j.
Proof.
move=> ji; apply: eq_bigr => k kj; rewrite ffunE; case: eqP => // ki.
by rewrite -ki (eqP kj) eqxx in ji.
Qed.

Lemma embedding_step x i :
  maxn (coordinate x (i %% c)) (coordinate (neighbour i x) (i %% c))
  - minn (coordinate x (i %% c)) (coordinate (neighbour i x) (i %% c)) = 2 ^ (i %/ c).
Proof.
have same : \sum_(k < d | (k %% c == i %% c) && (k != i)) neighbour i x k * 2 ^ (k %/ c)
          = \sum_(k < d | (k %% c == i %% c) && (k != i)) x k * 2 ^ (k %/ c).
  by apply: eq_bigr => k /andP[_ /negPf ki]; rewrite ffunE ki.
rewrite !coordinate_bit same ffunE eqxx; set rest := \sum_(_ < d | _) _.
case: (x i); rewrite /= !mul1n !mul0n !add0n.
  by rewrite (maxn_idPl (leq_addl _ _)) (minn_idPr (leq_addl _ _)) addnK.
by rewrite (maxn_idPr (leq_addl _ _)) (minn_idPl (leq_addl _ _)) addnK.
Qed.

(* Its length is 2^(i div c) for every process. *)
(** Claims: calmant.embed.dilation. *)
Theorem embedding_dilation x i : 0 < c -> distance x (neighbour i x) = 2 ^ (i %/ c).
Proof.
move=> c0; rewrite /distance (bigD1 (Ordinal (ltn_pmod i c0))) //= embedding_step.
by rewrite big1 ?addn0 // => j ji; rewrite embedding_axis ?maxnn ?minnn ?subnn.
Qed.

End Embedding.
