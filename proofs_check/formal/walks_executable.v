(* Sibeyn's algorithm, the greedy walks and products of exchanges on lists, each proved equal to its
   definition; and a matrix of four bits for which LCP_Optimizer and HL find different orders.

   `build.py` has the prover run them on all matrices with n <= 3 and 60 with n = 4 (`walked.txt`);
   a test compares what they find with a run of the printed lines, with messages walked and with
   bits exchanged. *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.
From lcc Require Import utility kernel lattice reordering ecube lcp_optimizer exchanges.
From lcc Require Import sibeyn hl sibeyn_algorithm greedy programme factorizations.
From lcc Require Import executable lcp_executable certificate kernel_executable orders_executable.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** The programs *)

Record factors_of_bits := Factors {
  lB : seq (seq bool); lA : seq (seq bool); lE : seq bool; lF : seq (seq (seq bool)) }.

Definition run_after n i := (if i.+1 < n then i.+1 else 0)%N.

Definition run_fitting n i M := [seq j <- iota 0 n | (i.+1 < j)%N && entry M j i].

Definition run_no_pivot n i M :=
  ~~ entry M i i && ~~ ((i.+1 < n)%N && entry M (run_after n i) i).

Definition run_step_a n w i s := if run_no_pivot n i (lA s) then
  let found := run_fitting n i (lA s) in
  let a := run_after n i in
  if drop (w i %% size found) found is j :: _ then
    Some (Factors (rows_exchanged n a j (lB s)) (both_exchanged n a j (lA s)) (lE s)
                  (map (both_exchanged n a j) (lF s)))
  else None
  else Some s.

Definition run_step_b n i s := if ~~ entry (lA s) i i
  then Factors (lB s) (rows_exchanged n i (run_after n i) (lA s)) (rcons (lE s) true) (lF s)
  else Factors (lB s) (lA s) (rcons (lE s) false) (lF s).

Definition run_step_c n i s := let V := run_partial n (lA s) (mkseq (fun k => k == i) n) in
  Factors (lB s) (run_times n n n (lA s) V) (lE s) (rcons (lF s) V).

Definition run_pass n w i s :=
  omap (fun s' => run_step_c n i (run_step_b n i s')) (run_step_a n w i s).

Definition run_sibeyn n w A := foldl (fun found i => obind (run_pass n w i) found)
  (Some (Factors (run_unit n) A [::] [::])) (iota 0 n).

Definition run_free_next n A S j := all (fun b =>
  run_load n (nth false) (run_image n A b) (run_some n) S j <= 1)%N (words n).

Definition run_greedy n swap A := greedy swap
  (fun done j => run_free_next n A (mkseq (fun k => k \in done) n) j) n [::] (iota 0 n).

(** ** They are the algorithm and the walk *)

Lemma map_greedy (T U : Type) (f : T -> U) swap free free' k done l :
  (forall d x, free d x = free' (map f d) (f x)) ->
  map f (greedy swap free k done l) = greedy swap free' k (map f done) (map f l).
Proof.
move=> same; elim: k done l => //= k IH done l; rewrite find_map.
rewrite (eq_find (a2 := free done)) => [|x]; last by rewrite /= same.
rewrite -map_drop; case: (drop _ l) => //= x r; rewrite IH map_rcons.
congr (_ :: greedy _ _ _ _ _).
rewrite -map_take; case: (swap); rewrite ?map_cat //.
by case: (take _ l) => //= y t; rewrite map_cat.
Qed.

Section Meaning.

Variable m : nat.
Local Notation n := m.+1.
Implicit Types (M A : seq (seq bool)) (s : factors_of_bits) (w : nat -> nat) (i j : 'I_n).

Definition factoring_of s : factoring m :=
  Factoring (mat n n (lB s)) (mat n n (lA s)) (lE s) (map (mat n n) (lF s)).

Lemma run_afterE i : run_after n i = after i.
Proof.
rewrite /run_after /after; case: ltnP => [lt_i|le_i]; first by rewrite inordK.
by rewrite /inord /insubd insubN // -leqNgt.
Qed.

Lemma entry_neq0 M i j : (mat n n M i j != 0) = entry M i j.
Proof. by rewrite mxE bit_neq0. Qed.

Lemma run_fittingE i M : map val (fitting i (mat n n M)) = run_fitting n i M.
Proof.
rewrite /run_fitting -val_enum_ord filter_map; congr map; apply: eq_filter => j.
by rewrite /= entry_neq0.
Qed.

Lemma run_step_aE w i s :
  step_a w i (factoring_of s) = omap factoring_of (run_step_a n w i s).
Proof.
rewrite /step_a /run_step_a /no_pivot /run_no_pivot run_afterE entry_neq0.
rewrite -[_ == 0]negbK entry_neq0; case: ifP => // _.
rewrite -run_fittingE size_map -map_drop; case: (drop _ _) => //= j _; congr Some.
rewrite /factoring_of /= -!mat_of_mat rows_exchangedE both_exchangedE !mat_of_mat; congr Factoring.
by rewrite -!map_comp; apply: eq_map => V; rewrite /= -!mat_of_mat both_exchangedE.
Qed.

Lemma run_step_bE i s : step_b i (factoring_of s) = factoring_of (run_step_b n i s).
Proof.
rewrite /step_b /run_step_b -[_ == 0]negbK entry_neq0 run_afterE; case: ifP => // _.
by rewrite /factoring_of /= -!mat_of_mat rows_exchangedE !mat_of_mat.
Qed.

Lemma run_step_cE i s : step_c i (factoring_of s) = factoring_of (run_step_c n i s).
Proof.
have VE : mat n n (run_partial n (lA s) (mkseq (fun k => k == i) n))
    = partial (mat n n (lA s)) [set i].
  rewrite run_partialE; congr partial; apply/setP=> k.
  by rewrite !inE nth_mkseq.
by rewrite /step_c /factoring_of /= mat_times map_rcons VE.
Qed.

Lemma run_sibeynE w A :
  sibeyn_algorithm w (mat n n A) = omap factoring_of (run_sibeyn n w A).
Proof.
rewrite /sibeyn_algorithm /after_passes take_oversize ?size_enum_ord // /run_sibeyn -val_enum_ord.
have -> : Some (Factoring 1%:M (mat n n A) [::] [::])
    = omap factoring_of (Some (Factors (run_unit n) A [::] [::])).
  by rewrite /= /factoring_of /= mat_unit.
elim: (enum 'I_n) (Some _) => //= i l IH [s|] /=; last by rewrite -(IH None).
rewrite -IH; congr foldl; rewrite /pass /run_pass run_step_aE; case: (run_step_a _ _ _ _) => //= s'.
by rewrite run_step_bE run_step_cE.
Qed.

Lemma run_free_nextE A S j : run_free_next n A S j = free_next (mat n n A) (set_of n S) j.
Proof.
rewrite /free_next -all_words; apply: eq_all => b.
by rewrite run_gather_load set_some mat_of_mat.
Qed.

Lemma run_greedyE swap A : map val (greedy_order (mat n n A) swap) = run_greedy n swap A.
Proof.
pose free' (d : seq nat) (j : nat) := run_free_next n A (mkseq (fun k => k \in d) n) j.
rewrite /greedy_order /run_greedy (@map_greedy 'I_n nat val _ _ free') ?val_enum_ord // => d j.
have setE : set_of n (mkseq (fun k => k \in map val d) n) = [set x in d].
  by apply/setP=> k; rewrite !inE nth_mkseq // (mem_map val_inj).
by rewrite -setE -run_free_nextE.
Qed.

End Meaning.

(** ** Products of exchanges *)

Definition run_exchanged n (l : seq (nat * nat)) :=
  mkseq (fun k => foldl (fun r p => exchanged p.1 p.2 r) k l) n.

Definition run_is_factorization n k (c : seq nat) (l : seq (nat * nat)) :=
  [&& size l == k, all (fun p : nat * nat => p.1 < p.2)%N l & run_exchanged n l == c].

Definition run_shuffle n := rcons (iota 1 n.-1) 0%N.

Section Products.

Variable m : nat.
Local Notation n := m.+1.
Implicit Types (k : 'I_n) (l : seq ('I_n * 'I_n)).

Let pairs l := [seq (val p.1, val p.2) | p <- l].

Lemma run_exchanged_bitsE l : lists_order (run_exchanged n (pairs l)) (exchanged_bits l).
Proof.
split=> [|k]; first by rewrite size_mkseq.
rewrite nth_mkseq //; elim: l k => [|p l IH] k /=; first by rewrite perm1.
by rewrite exchangedE IH permM.
Qed.

Lemma lists_order_eq (a b : seq nat) (s t : 'S_n) : lists_order a s -> lists_order b t ->
  (a == b) = (s == t).
Proof.
move=> [an As] [bn Bt]; apply/eqP/eqP=> [ab|st]; last first.
  apply: (@eq_from_nth _ 0%N); rewrite ?an ?bn // => i lt_i.
  by rewrite (As (Ordinal lt_i)) (Bt (Ordinal lt_i)) st.
by apply/permP=> k; apply: val_inj; rewrite /= -As -Bt ab.
Qed.

Lemma run_is_factorizationE (r : nat) (a : seq nat) (c : 'S_n) (l : r.-tuple ('I_n * 'I_n)) :
  lists_order a c -> run_is_factorization n r a (pairs l) = (l \in factorizations r c).
Proof.
move=> ac; rewrite inE /run_is_factorization size_map size_tuple eqxx all_map.
by congr (_ && _); rewrite (lists_order_eq (run_exchanged_bitsE l) ac).
Qed.

Lemma run_shuffleE : lists_order (run_shuffle n) (shuffle m).
Proof.
split=> [|k]; first by rewrite size_rcons size_iota.
have := ltn_ord k; rewrite permE nth_rcons size_iota /= modnDml ltnS leq_eqVlt.
case/orP=> [/eqP ->|lt_k]; first by rewrite ltnn eqxx add1n modnn.
by rewrite lt_k nth_iota // modn_small.
Qed.

End Products.

(** ** LCP_Optimizer's order is not HL's *)

Definition apart := [:: [:: false; true; false; false]; [:: false; false; false; true];
                        [:: false; false; true; true]; [:: true; false; false; false]].
Definition apart_inverse := [:: [:: false; false; false; true]; [:: true; false; false; false];
                                [:: false; true; true; false]; [:: false; true; false; false]].

(* The matrix of four bits, by its rows, with its first column left:
     0100, 0001, 0011, 1000. *)
Theorem lcp_optimizer_not_hl : exists2 A : 'M['F_2]_4, A \in unitmx &
  forall b, exists s (t u : 'S_4),
    [/\ lcp_optimizer A b = Some s, aQ s = perm_mx t, hl_order A b u & t <> u].
Proof.
have AU : mat 4 4 apart \in unitmx.
  have [] // := @mulmx1_unit _ _ (mat 4 4 apart) (mat 4 4 apart_inverse).
  by rewrite -mat_times -mat_unit; apply: mat_equal; vm_compute.
exists (mat 4 4 apart) => // b; have [s [t [sE Qt _ _ _]]] := lcp_optimizer_correct b AU.
have [u hl] := hl_order_exists b AU; exists s, t, u; split=> // tu.
have := lcp_optimizer_walk AU sE Qt; rewrite tu (hl_walk hl) => /(congr1 (map val)).
by rewrite !run_greedyE => /eqP; vm_compute.
Qed.

(** ** What is evaluated *)

From Coq Require Import String.

(* Of one matrix: for the first j that fits and for the second, in every pass, B as an order, E and
   the V, nothing if no j fits; the two walks. *)
Definition walk_numbers n A : seq nat :=
  flatten [seq if run_sibeyn n (fun=> w) A is Some s then
      [seq seq.index true r | r <- lB s] ++ numbers (lE s ++ flatten (flatten (lF s)))
    else [::] | w <- iota 0 2]
  ++ run_greedy n true A ++ run_greedy n false A.

(* All matrices of up to three bits; of four every 1061st. *)
Definition some_matrices n := let all := matrices n n in
  if n is 4 then [seq nth [::] all (k * 1061) | k <- iota 0 60] else all.

(* The shuffle; which lists of n - 1 pairs i < j are its factorizations, the first pair slowest;
   for n <= 3 which lists of all pairs are. *)
Fixpoint lists_of (T : Type) k (s : seq T) : seq (seq T) := if k is k'.+1 then
  [seq x :: l | x <- s, l <- lists_of k' s] else [:: [::]].

Definition product_numbers n : seq nat :=
  let pairs := [seq (i, j) | i <- iota 0 n, j <- iota 0 n] in
  let ascending := [seq p <- pairs | p.1 < p.2]%N in
  run_shuffle n ++ numbers [seq run_is_factorization n n.-1 (run_shuffle n) l
    | l <- lists_of n.-1 (if n is 4 then ascending else pairs)].

Definition walked n : seq string :=
  rcons [seq digits (walk_numbers n A) | A <- some_matrices n] (digits (product_numbers n)).
