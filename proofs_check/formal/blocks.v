(* The subset programme where a step corrects a block of bits: an axis of a mesh or torus, a digit.

   The bits are divided into blocks, and a step moves every message to its destination's bits in one
   block. Where the messages are depends on the set of corrected blocks alone. So whatever a step
   costs, as long as it is a matter of where the messages are before and after it - the busiest link
   of an axis, say, with wires of any bandwidth - the programme over sets of blocks is exact.

   correct_block now j == every message takes its destination's bits in block j
   moved now v l == the cost of an order of blocks, by moving the messages
   bits_of S == the bits in the blocks S
   places S == where every message is after the blocks S
   block_price S j == what correcting block j costs after S *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice programme.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Blocks.

Variables (n a : nat) (block : 'I_n -> 'I_a) (M : finType) (src dst : M -> vec n).
Implicit Types (S : {set 'I_a}) (j : 'I_a) (l : seq 'I_a) (now : {ffun M -> vec n}).

(* What a step costs: from where the messages are, the block corrected, where they are then. *)
Variables (C : Type) (step : {ffun M -> vec n} -> 'I_a -> {ffun M -> vec n} -> C).
Variables (add : nat -> C -> nat).
Hypothesis add_mono : forall c v w, (v <= w)%N -> (add v c <= add w c)%N.

(* Correct a block of bits of every message. *)
Definition correct_block now j : {ffun M -> vec n} :=
  [ffun m => \col_i (if block i == j then dst m i 0 else now m i 0)].

(* The cost of an order of blocks, by moving the messages. *)
Fixpoint moved now v l := if l is j :: l' then
  moved (correct_block now j) (add v (step now j (correct_block now j))) l' else v.

Definition bits_of S : bits n := [set i | block i \in S].

Definition places S : {ffun M -> vec n} := [ffun m => place src dst (bits_of S) m].

Definition block_price S j := step (places S) j (places (j |: S)).

Theorem block_places S j : correct_block (places S) j = places (j |: S).
Proof.
apply/ffunP=> m; apply/matrixP=> i k; rewrite (ord1 k) !(ffunE, mxE, inE).
by case: eqP.
Qed.

Lemma movedE S v l : moved (places S) v l = cost block_price add S v l.
Proof. by elim: l S v => //= j l IH S v; rewrite block_places IH. Qed.

Lemma places0 : places set0 = [ffun m => src m].
Proof.
apply/ffunP=> m; rewrite !ffunE -[RHS](place0 src dst); congr (place _ _ _ _).
by apply/setP=> i; rewrite !inE.
Qed.

(* The programme over sets of blocks ends with the least cost of moving the messages, over all
   orders of the blocks in S, and some order has it. *)
Theorem blocks_programme v0 S :
  let best := programme block_price add v0 S in
  (forall l, order_of S l -> (best <= moved [ffun m => src m] v0 l)%N) /\
  (exists l, order_of S l /\ moved [ffun m => src m] v0 l = best).
Proof.
have [low [l [lS lE]]] := hou_theorem_6 block_price v0 add_mono S.
by rewrite -places0; split=> [l' /low|]; [rewrite movedE|exists l; rewrite movedE].
Qed.

End Blocks.
