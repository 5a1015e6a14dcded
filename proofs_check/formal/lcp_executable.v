(* LCP_Optimizer on lists of booleans, proved equal to the program of `lcp_optimizer.v`.

   `build.py` has the prover run it on all matrices with 1 <= n <= 3, and a test compares what it
   ends with (`optimized.txt`) with the checker's own run of Fig. 3 and with the library's.

   lists_of_bits == the arrays D, V, Q, d, R as lists
   entry M r c == the entry of row r, column c
   exchanged p q r == r with p and q exchanged
   rows_exchanged n p q M == rows p and q exchanged
   both_exchanged n p q M == rows and columns p and q exchanged
   bits_exchanged n p q v == bits p and q exchanged
   run_search n i s == line 7 on lists
   run_settle n i j s == lines 8 to 12 on lists
   run_reduce n c j s k == line 14 for row k on lists
   run_mark n j s == line 15 on lists
   run_iteration n i s == lines 7 to 15 on lists
   run_start n A b == the first arrays, as lists
   run_lcp_optimizer n A b == Fig. 3 on lists
   arrays_of s == the arrays that the lists stand for *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice lcp_optimizer programme executable.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** The program *)

Record lists_of_bits := Lists { lD : seq (seq bool); lV : seq (seq bool); lQ : seq (seq bool);
                                ld : seq bool; lR : seq bool }.

Definition entry (M : seq (seq bool)) r c := nth false (nth [::] M r) c.

Definition exchanged p q r : nat := if r == p then q else if r == q then p else r.

Definition rows_exchanged n p q (M : seq (seq bool)) :=
  mkseq (fun r => nth [::] M (exchanged p q r)) n.

Definition both_exchanged n p q M :=
  mkseq (fun r => mkseq (fun c => entry M (exchanged p q r) (exchanged p q c)) n) n.

Definition bits_exchanged n p q (v : seq bool) := mkseq (fun r => nth false v (exchanged p q r)) n.

Definition run_search n i s :=
  find (fun j => entry (lV s) j i && ~~ nth false (lR s) j) (iota 0 n).

Definition run_settle n i j s := if (i.+1 < j)%N then
  (Lists (both_exchanged n i.+1 j (lD s)) (both_exchanged n i.+1 j (lV s))
         (rows_exchanged n i.+1 j (lQ s)) (bits_exchanged n i.+1 j (ld s))
         (bits_exchanged n i.+1 j (lR s)), i.+1)
  else (s, j).

Definition run_reduce n c j s k := if (k != j) && entry (lV s) k c
  then Lists (lD s) (mkseq (fun r => mkseq (fun x => if r == k then
    entry (lV s) r x (+) entry (lV s) j x else entry (lV s) r x) n) n) (lQ s) (ld s) (lR s)
  else s.

Definition run_mark n j s :=
  Lists (lD s) (lV s) (lQ s) (ld s) (mkseq (fun r => (r == j) || nth false (lR s) r) n).

Definition run_iteration n i s :=
  let j := run_search n i s in
  if (j < n)%N then
    let: (s', j') := run_settle n i j s in
    Some (run_mark n j' (foldl (run_reduce n i j') s' (iota 0 n)))
  else None.

Definition run_start n A b :=
  Lists A A (mkseq (fun r => mkseq (fun c => r == c) n) n) b (nseq n false).

Definition run_lcp_optimizer n A b :=
  foldl (fun found i => obind (run_iteration n i) found) (Some (run_start n A b)) (iota 0 n.-1).

(** ** It is the program of Fig. 3 *)

Section Meaning.

Variable m : nat.
Local Notation n := m.+1.
Implicit Types (s : lists_of_bits) (M : seq (seq bool)).

Definition arrays_of s : arrays m :=
  Arrays (mat_of n (lD s)) (mat_of n (lV s)) (mat_of n (lQ s)) (vec_of n (ld s)) (vec_of n (lR s)).

Lemma bit_neq0 a : (bit a != 0) = a. Proof. by case: a. Qed.
Lemma bit_eq0 a : (bit a == 0) = ~~ a. Proof. by case: a. Qed.

Lemma mat_entry M (r c : 'I_n) : mat_of n M r c = bit (entry M r c). Proof. by rewrite mxE. Qed.

Lemma exchangedE (p q r : 'I_n) : exchanged p q r = tperm p q r.
Proof. by rewrite /exchanged permE /= !val_eqE; case: eqP => // _; case: eqP. Qed.

Lemma both_exchangedE p q M :
  mat_of n (both_exchanged n (p : 'I_n) (q : 'I_n) M) = swap_both p q (mat_of n M).
Proof.
apply/matrixP=> r c; rewrite swap_both_entry !mat_entry /entry !nth_mkseq //.
by rewrite !exchangedE.
Qed.

Lemma rows_exchangedE p q M :
  mat_of n (rows_exchanged n (p : 'I_n) (q : 'I_n) M) = xrow p q (mat_of n M).
Proof. by apply/matrixP=> r c; rewrite !mxE nth_mkseq // exchangedE. Qed.

Lemma bits_exchangedE p q v :
  vec_of n (bits_exchanged n (p : 'I_n) (q : 'I_n) v) = xrow p q (vec_of n v).
Proof. by apply/matrixP=> r c; rewrite !mxE nth_mkseq // exchangedE. Qed.

Lemma run_settleE (i : 'I_m) (j : 'I_n) s :
  exists j' : 'I_n, (run_settle n i j s).2 = j'
    /\ settle i j (arrays_of s) = (arrays_of (run_settle n i j s).1, j').
Proof.
rewrite /settle /run_settle; case: ifP => _; last by exists j.
have nextE : i.+1 = next i by rewrite lift0.
exists (next i); split=> //=; rewrite /arrays_of /= nextE.
by rewrite !both_exchangedE rows_exchangedE !bits_exchangedE.
Qed.

Lemma run_reduceE (c j k : 'I_n) s :
  reduce c j (arrays_of s) k = arrays_of (run_reduce n c j s k).
Proof.
rewrite /reduce /run_reduce mat_entry bit_neq0 val_eqE; case: ifP => // _.
congr Arrays; apply/matrixP=> r x; rewrite mxE !mat_entry /entry !nth_mkseq // val_eqE.
by case: eqP => // _; rewrite bit_add.
Qed.

Lemma run_reduce_all (c j : 'I_n) s (l : seq 'I_n) :
  foldl (reduce c j) (arrays_of s) l = arrays_of (foldl (run_reduce n c j) s (map val l)).
Proof. by elim: l s => //= k l IH s; rewrite run_reduceE IH. Qed.

Lemma run_searchE (i : 'I_m) s : insub (run_search n i s) = search i (arrays_of s).
Proof.
rewrite /run_search -val_enum_ord find_map; congr insub; apply: eq_find => j.
by rewrite /= mat_entry bit_neq0 mxE bit_eq0.
Qed.

Lemma run_iterationE (i : 'I_m) s :
  iteration i (arrays_of s) = omap arrays_of (run_iteration n i s).
Proof.
rewrite /iteration /run_iteration -run_searchE.
case: insubP => [j lt_j jE|/negPf ->] //; rewrite -jE ltn_ord.
have [j' []] := run_settleE i j s; case: (run_settle _ _ _ _) => s' j2; rewrite [snd _]/= => -> ->.
rewrite run_reduce_all val_enum_ord; congr Some; congr Arrays.
apply/matrixP=> r z; rewrite (ord1 z) !mxE nth_mkseq // val_eqE.
by case: eqP => // _; rewrite mxE.
Qed.

Theorem run_lcp_optimizerE A b :
  lcp_optimizer (mat_of n A) (vec_of n b) = omap arrays_of (run_lcp_optimizer n A b).
Proof.
rewrite /lcp_optimizer /at_iteration /run_lcp_optimizer take_oversize ?size_enum_ord //.
have -> : start (mat_of n A) (vec_of n b) = arrays_of (run_start n A b).
  rewrite /start /arrays_of; congr Arrays.
    transitivity (mat_of n (mkseq (fun r => mkseq (fun c => r == c) n) n)) => //.
    by apply/matrixP=> r c; rewrite mat_entry /entry !nth_mkseq // mxE val_eqE; case: eqP.
  transitivity (vec_of n (nseq n false)) => //.
  by apply/matrixP=> r z; rewrite !mxE nth_nseq if_same.
rewrite -[Some (arrays_of _)]/(omap arrays_of (Some (run_start n A b))) -val_enum_ord.
elim: (enum 'I_m) (Some _) => //= i l IH [s|] /=; first by rewrite run_iterationE IH.
by rewrite -(IH None).
Qed.

End Meaning.

(** ** What is evaluated *)

From Coq Require Import String.

Definition digit (a : bool) : nat := a.

(* Q as an order, then D, V, R, and d for b = (1, 0, ..., 0); nothing if line 7 finds no row. *)
Definition optimized n : seq string :=
  [seq if run_lcp_optimizer n A (mkseq (fun i => i == 0%N) n) is Some s then
     digits ([seq seq.index true r | r <- lQ s] ++ map digit (flatten (lD s) ++ flatten (lV s) ++
       lR s ++ ld s))
   else digits [::] | A <- matrices n n].
