(* Kernels, exchanges and elimination on lists of booleans, proved equal to `ker`, `moves`,
   `exchange`, `partial` and `gauss_jordan`.

   `build.py` has the prover evaluate them for all matrices with n <= 2 (`kernels.txt`), and a test
   compares the numbers with vectors, messages and eliminations of its own.

   run_ker n A R C == how many vectors are 0 outside C and mapped to 0 on R
   run_moves n A b j == bit j changes for some vector
   run_exchange n k X == X is the identity but for row k, whose diagonal entry is 1
   run_partial n A S == the rows of A in S, unit rows elsewhere
   run_gauss_jordan n l A == columnwise elimination along l meets no 0 on the diagonal *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice reordering ecube exchanges gauss_jordan programme.
From lcc Require Import executable lcp_executable certificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** The program *)

Definition run_ker n A (R C : seq bool) := count (fun x =>
  all (fun i => nth false C i || ~~ nth false x i) (iota 0 n)
  && all (fun i => ~~ nth false R i || ~~ run_row n (nth [::] A i) x) (iota 0 n)) (words n).

Definition run_moves n A b j := has (fun x => nth false x j != run_image n A b x j) (words n).

Definition run_exchange n k X := entry X k k
  && all (fun r => (r == k) || all (fun c => entry X r c == (r == c)) (iota 0 n)) (iota 0 n).

Definition run_partial n A (S : seq bool) :=
  mkseq (fun i => mkseq (fun j => if nth false S i then entry A i j else i == j) n) n.

Fixpoint run_gauss_jordan n l A := if l is k :: l' then
  entry A k k
  && run_gauss_jordan n l' (run_times n n n A (run_partial n A (mkseq (fun i => i == k) n)))
  else true.

(** ** The program is the specification *)

Section Meaning.

Variable n : nat.
Implicit Types (A X : seq (seq bool)) (b S R C : seq bool) (i j k : 'I_n).

Lemma in_iota (i : 'I_n) : val i \in iota 0 n.
Proof. by rewrite mem_iota ltn_ord. Qed.

Lemma all_iota (P : pred nat) : all P (iota 0 n) = [forall i : 'I_n, P i].
Proof.
apply/allP/forallP=> [all_in i|every i]; first exact/all_in/in_iota.
by rewrite mem_iota => lt_in; apply: (every (Ordinal lt_in)).
Qed.

Lemma bit_zero a : (bit a == 0) = ~~ a. Proof. by case: a. Qed.

Lemma bit_one a : (bit a == 1) = a. Proof. by case: a. Qed.

Theorem run_kerE A R C : run_ker n A R C = #|ker (mat_of n A) (set_of n R) (set_of n C)|.
Proof.
have -> : ker (mat_of n A) (set_of n R) (set_of n C)
    = [set v | v \in ker (mat_of n A) (set_of n R) (set_of n C)] by apply/setP=> v; rewrite inE.
rewrite -count_words; apply: eq_count => x /=; rewrite inE !all_iota.
congr (_ && _); apply: eq_forallb => i; first by rewrite inE mxE bit_zero implybE negbK.
by rewrite inE -run_rowE bit_zero implybE.
Qed.

Theorem run_movesE A b j : run_moves n A b j = moves (mat_of n A) (vec_of n b) j.
Proof.
have hasE (P : pred (vec n)) : has (P \o vec_of n) (words n) = [exists v, P v].
  rewrite -has_map -(perm_has _ (words_perm n)).
  by apply/hasP/existsP=> [[v _ Pv]|[v Pv]]; exists v; rewrite ?mem_enum.
rewrite /moves -hasE; apply: eq_has => x /=.
by rewrite -run_imageE mxE bit_eq.
Qed.

Theorem run_exchangeE k X : run_exchange n k X = exchange k (mat n n X).
Proof.
rewrite /run_exchange /exchange mxE bit_one all_iota; congr (_ && _); apply: eq_forallb => r.
rewrite implybE negbK -val_eqE; congr (_ || _); rewrite all_iota; apply/forallP/eqP=> [same|rowE c].
  by apply/rowP=> c; rewrite !mxE eqxx /= (eqP (same c)) -val_eqE /= eq_sym.
have := congr1 (fun v : 'rV_n => v 0 c) rowE; rewrite !mxE eqxx /= => /eqP.
by rewrite -/(bit (c == r)) bit_eq -val_eqE /= [val c == _]eq_sym.
Qed.

Theorem run_partialE A S : mat n n (run_partial n A S) = partial (mat n n A) (set_of n S).
Proof.
apply/matrixP=> i j; rewrite !mxE /entry !nth_mkseq // inE; case: ifP => // _.
Qed.

Theorem run_gauss_jordanE (l : seq 'I_n) A :
  run_gauss_jordan n (map val l) A = gauss_jordan l (mat n n A).
Proof.
elim: l A => //= k l IH A; rewrite IH mat_times run_partialE mxE bit_one.
have -> // : set_of n (mkseq (fun i : nat => i == k) n) = [set k].
by apply/setP=> i; rewrite !inE nth_mkseq.
Qed.

End Meaning.

(** ** What is evaluated *)

From Coq Require Import String.

(* The sizes of the kernels for all R and C; whether bit j moves for b = (1, 0, ...), for all j;
   whether A is an exchange across k, for all k; whether elimination ends, along all orders. *)
Definition kernel_numbers n A : seq nat :=
  [seq run_ker n A R C | R <- words n, C <- words n]
  ++ [seq nat_of_bool (run_moves n A (mkseq (fun i => i == 0%N) n) j) | j <- iota 0 n]
  ++ [seq nat_of_bool (run_exchange n k A) | k <- iota 0 n]
  ++ [seq nat_of_bool (run_gauss_jordan n l A) | l <- orders n].

Definition kernels n : seq string := [seq digits (kernel_numbers n A) | A <- matrices n n].
