(* The definitions of `collectives.v`, evaluated: they are programs as they stand.

   `build.py` has the prover list every block that a rule sends, and what the ranks hold step by
   step (`plans.txt`); a test compares the plans with the library's and with the rules of the
   claims, and adds up what is held. *)

From mathcomp Require Import all_ssreflect.
From lcc Require Import executable collectives.
From Coq Require Import String.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Two digits each for step, source, destination and block, and one for whether it is added. *)
Definition listed (plan : seq (seq transfer)) : seq nat :=
  let two k := [:: k %/ 10; k %% 10] in
  flatten (mkseq (fun i => flatten
    [seq two i ++ two t.1.1.1 ++ two t.1.1.2 ++ two t.1.2 ++ [:: nat_of_bool t.2]
    | t <- nth [::] plan i]) (size plan)).

(* After every step, of every rank and block, how often each contribution is there. *)
Definition holdings p held (plan : seq (seq transfer)) : seq nat := flatten
  [seq flatten [seq [seq after_plan held (take k plan) r b u | u <- iota 0 p]
               | r <- iota 0 p, b <- iota 0 p]
  | k <- iota 0 (size plan).+1].

(* Orders of n bits: ascending, descending, and another. *)
Definition orders_of n :=
  [:: iota 0 n; rev (iota 0 n)]
  ++ (if n == 3 then [:: [:: 1; 2; 0]] else if n == 4 then [:: [:: 2; 0; 3; 1]] else [::]).

(* Some rank hears of a block twice, from one that changes in the step; a copy meets a sum. *)
Definition crowded : seq (seq transfer) :=
  [:: [:: (0, 1, 0, true); (1, 2, 0, true); (2, 1, 0, true); (0, 1, 1, true)];
      [:: (1, 0, 0, true); (1, 0, 0, true); (2, 0, 1, false); (1, 0, 1, true)];
      [:: (0, 2, 0, false); (2, 1, 0, false)]].

(* All rules on p ranks, in n rounds those that halve or double. *)
Definition plans_of n p : seq string :=
  let square := p == 2 ^ n in
  let gatherings := if square then [seq gathering n (rev l) | l <- orders_of n] else [::] in
  let summings := if square then flatten
    [seq [:: doubling n l; halving n [::] l ++ gathering n (rev l)] | l <- orders_of n] else [::] in
  let summing := (ring_sums p ++ ring_copies p) :: (tree_up p n ++ tree_down p n) :: summings in
  let owned := ring_copies p :: bruck p n :: gatherings in
  [seq digits (listed plan) | plan <- summing ++ owned]
  ++ (if p <= 4 then [seq digits (holdings p start_all plan) | plan <- summing]
                     ++ [seq digits (holdings p start_own plan) | plan <- owned] else [::]).

Definition plans n : seq string :=
  (if n == 1 then [:: digits (holdings 3 start_all crowded)] else [::])
  ++ flatten [seq plans_of n p
             | p <- if n < 4 then iota (2 ^ n.-1).+1 (2 ^ n.-1) else [:: 2 ^ n]].
