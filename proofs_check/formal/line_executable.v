(* The definitions of `line.v`, evaluated: they are programs as they stand.

   `build.py` has the prover compute loads, steps and conflicts of all tasks on lines of 2, 4 and 8
   nodes (`lines.txt`), and a test compares them with messages walked one by one. *)

From mathcomp Require Import all_ssreflect.
From lcc Require Import executable line.
From Coq Require Import String.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Of one task: its load; the loads of all links, to the right and to the left; whether the paper's
   schedule is free of conflict, and the one with all messages in step 0; the steps. *)
Definition task_numbers d i M : seq nat :=
  line_load i M :: [seq right_load d i M m | m <- iota 0 (2 ^ d).-1]
  ++ [seq left_load d i M m | m <- iota 0 (2 ^ d).-1]
  ++ [:: nat_of_bool (conflict_free d i M (line_step i M));
         nat_of_bool (conflict_free d i M (fun _ _ => 0))]
  ++ [seq line_step i M x.1 x.2 | x <- messages d i M].

(* A line for each i, and M = 0, ..., d-i. *)
Definition lines d : seq string :=
  [seq digits (task_numbers d i M) | i <- iota 0 d, M <- iota 0 (d - i).+1].
