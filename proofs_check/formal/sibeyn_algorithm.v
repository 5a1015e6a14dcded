(* Sibeyn, section 2: the algorithm as printed computes decomposition (1), whatever j it selects.

   Invariant (2): after pass i the matrix in the order found is E_0 ... E_i M V_i ... V_0, where M
   is invertible and its rows 0, ..., i are unit rows. Then column i + 1 of M is 0 in these rows, so
   it has a 1 below them: step a or b can bring it to the diagonal. Renaming i + 1 and j > i + 1 in
   step a leaves E_0, ..., E_(i-1) alone, which exchange bits up to i: the print's "commutes for
   k < j" is needed, and true, for k < i. The V are their own inverses.

   Pass n - 1 asks for row n in step a, which there is not; it is read as 0. Which j is selected is
   left open: in pass i it is number w(i) of those that fit, counted around.

   factoring == what the algorithm changes: B, A, and the lists of E and V found so far
   after i == i+1 as one of n = m+1 indices
   fitting i M == the j > i+1 with a 1 in column i of M, in ascending order
   no_pivot i M == M is 0 at (i, i) and at (i+1, i), if there is a row i+1
   step_a w i s == bits i+1 and j are renamed, if there is no pivot; None if no j fits
   step_b i s == rows i and i+1 are exchanged if M is 0 at (i, i)
   step_c i s == V is the identity with row i of M; M V follows M
   pass w i s == steps a to c
   after_passes w A k == what there is after passes 0, ..., k-1
   sibeyn_algorithm w A == what there is at the end *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.
From lcc Require Import utility kernel lattice reordering ecube lcp_optimizer exchanges.
From lcc Require Import gauss_jordan sibeyn.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Algorithm.

Variable m : nat.
Local Notation n := m.+1.

Record factoring := Factoring {
  fB : 'M['F_2]_n; fA : 'M['F_2]_n; fE : seq bool; fV : seq 'M['F_2]_n }.

Implicit Types (A M X Y P : 'M['F_2]_n) (s : factoring) (w : nat -> nat) (i j k p q r c : 'I_n).

(** ** The program *)

Definition after i : 'I_n := inord i.+1.

Definition fitting i M := [seq j : 'I_n <- enum 'I_n | (i.+1 < j)%N && (M j i != 0)].

Definition no_pivot i M := (M i i == 0) && ~~ ((i.+1 < n)%N && (M (after i) i != 0)).

Definition step_a w i s := if no_pivot i (fA s) then
  let found := fitting i (fA s) in
  if drop (w i %% size found) found is j :: _ then
    Some (Factoring (xrow (after i) j (fB s)) (swap_both (after i) j (fA s)) (fE s)
                    (map (swap_both (after i) j) (fV s)))
  else None
  else Some s.

Definition step_b i s := if fA s i i == 0
  then Factoring (fB s) (xrow i (after i) (fA s)) (rcons (fE s) true) (fV s)
  else Factoring (fB s) (fA s) (rcons (fE s) false) (fV s).

Definition step_c i s := let V := partial (fA s) [set i] in
  Factoring (fB s) (fA s *m V) (fE s) (rcons (fV s) V).

Definition pass w i s := omap (fun s' => step_c i (step_b i s')) (step_a w i s).

Definition after_passes w A (k : nat) := foldl (fun found i => obind (pass w i) found)
  (Some (Factoring 1%:M A [::] [::])) (take k (enum 'I_n)).

Definition sibeyn_algorithm w A := after_passes w A n.

(** ** Renaming *)

Lemma renamedM X Y P : P \in unitmx -> renamed (X *m Y) P = renamed X P *m renamed Y P.
Proof. by move=> PU; rewrite /renamed !mulmxA mulmxKV. Qed.

Lemma renamed_product (E F : 'I_n -> 'M['F_2]_n) P (l : seq 'I_n) : P \in unitmx ->
  (forall j, j \in l -> renamed (E j) P = F j) -> renamed (product E l) P = product F l.
Proof.
move=> PU; elim/last_ind: l => [|l k IH] EF; first by rewrite /renamed mulmx1 mulmxV.
rewrite /product !foldl_rcons -/(product _ _) renamedM // IH ?EF ?mem_rcons ?mem_head // => j jl.
by rewrite EF // mem_rcons inE jl orbT.
Qed.

Lemma swap_neighbours (tau : nat -> bool) p q k : (k.+1 < p)%N -> (k.+1 < q)%N ->
  renamed (neighbours tau k) (perm_mx (tperm p q)) = neighbours tau k.
Proof.
move=> kp kq; have PU : perm_mx (tperm p q) \in @unitmx [comUnitRingType of 'F_2] n.
  exact: unitmx_perm.
rewrite /renamed /neighbours; case: ifP => _; last by rewrite mulmx1 mulmxV.
have k1n : (k.+1 < n)%N by apply: ltn_trans kp (ltn_ord p).
rewrite -perm_mxM; have -> : (tperm p q * tperm k (inord k.+1)
    = tperm k (inord k.+1) * tperm p q)%g.
  rewrite [RHS]conjgC tpermJ !tpermD // -val_eqE /= ?inordK //; lia.
by rewrite perm_mxM mulmxK.
Qed.

Lemma swap_back (tau : nat -> bool) p q (l : seq 'I_n) :
  (forall k, k \in l -> (k.+1 < p)%N && (k.+1 < q)%N) ->
  renamed (neighbours_back tau l) (perm_mx (tperm p q)) = neighbours_back tau l.
Proof.
have PU : perm_mx (tperm p q) \in @unitmx [comUnitRingType of 'F_2] n by exact: unitmx_perm.
elim: l => [|k l IH] off; first by rewrite /renamed mulmx1 mulmxV.
have /andP[kp kq] := off k (mem_head _ _).
rewrite renamedM // swap_neighbours // IH // => j jl; apply: off; by rewrite inE jl orbT.
Qed.

Lemma exchange_swap p q k X : exchange k X -> k != p -> k != q -> exchange k (swap_both p q X).
Proof.
move=> eX kp kq; have fixk : tperm p q k = k by rewrite tpermD // eq_sym.
have /andP[Xkk _] := eX; apply/andP; split; first by rewrite swap_both_entry fixk.
apply/forallP=> r; apply/implyP=> rk; apply/eqP/rowP=> c; rewrite mxE swap_both_entry.
have trk : tperm p q r != k by rewrite -{1}fixk (inj_eq perm_inj).
have /rowP/(_ (tperm p q c)) := exchange_row eX trk; rewrite !mxE => ->.
by rewrite (inj_eq perm_inj).
Qed.

Lemma back_rcons (tau : nat -> bool) (l : seq 'I_n) k :
  neighbours_back tau (rcons l k) = neighbours_back tau l *m neighbours tau k.
Proof.
rewrite /neighbours_back; elim: l => [|j l IH] /=; first by rewrite mulmx1 mul1mx.
by rewrite IH mulmxA.
Qed.

Lemma eq_back (tau tau' : nat -> bool) (l : seq 'I_n) : (forall k, k \in l -> tau k = tau' k) ->
  neighbours_back tau l = neighbours_back tau' l.
Proof.
elim: l => //= k l IH same; rewrite /neighbours same ?mem_head // IH // => j jl.
by apply: same; rewrite inE jl orbT.
Qed.

(** ** Invariant (2) *)

Definition unit_above (k : nat) M := forall r, (r < k)%N -> row r M = delta_mx 0 r.

Record invariant_2 A (k : nat) s : Prop := Invariant2 {
  by_order : exists t : 'S_n, fB s = perm_mx t;
  by_factors : renamed A (fB s) = neighbours_back (nth false (fE s)) (take k (enum 'I_n))
    *m fA s *m product (fun j => nth 1%:M (fV s) j) (take k (enum 'I_n));
  rest_unit : fA s \in unitmx;
  rest_above : unit_above k (fA s);
  by_sizes : size (fE s) = k /\ size (fV s) = k;
  fits : forall j : nat, nth false (fE s) j -> (j.+1 < n)%N;
  exchanges_V : forall j, exchange j (nth 1%:M (fV s) j)
}.

Lemma unit_above_entry (k : nat) M r c : unit_above k M -> (r < k)%N -> M r c = (c == r)%:R.
Proof. by move=> above rk; have /rowP/(_ c) := above r rk; rewrite !mxE. Qed.

Lemma in_taken (k : nat) j : (j \in take k (enum 'I_n)) = (j < k)%N.
Proof. by rewrite in_take ?mem_enum // index_enum_ord. Qed.

(* Column i has a 1 in row i or below. *)
Lemma pivot_exists i M : M \in unitmx -> unit_above i M ->
  exists2 j : 'I_n, (i <= j)%N & M j i != 0.
Proof.
move=> MU above; have : M *m delta_mx i 0 != 0 :> vec n.
  apply/eqP=> /(congr1 (mulmx (invmx M))); rewrite mulKmx // mulmx0 => /matrixP/(_ i 0)/eqP.
  by rewrite !mxE !eqxx oner_eq0.
move/vec_exists_bit=> [j]; rewrite -colE mxE => Mji; exists j => //; rewrite leqNgt.
apply: contra Mji => ji; rewrite (unit_above_entry _ above ji).
by have [ij|//] := eqVneq i j; rewrite ij ltnn in ji.
Qed.

Lemma afterE i : (i.+1 < n)%N -> after i = i.+1 :> nat. Proof. exact: inordK. Qed.

(* There is a pivot after step a, and the invariant holds. *)
Lemma step_a_invariant w A i s : invariant_2 A i s -> exists s',
  [/\ step_a w i s = Some s', invariant_2 A i s'
    & fA s' i i != 0 \/ (i.+1 < n)%N /\ fA s' (after i) i != 0].
Proof.
move=> inv; have [[t Bt] eq2 MU above [sE sV] fit eV] := inv; rewrite /step_a /no_pivot.
case: eqP => [Mii|/eqP Mii]; last by exists s; split=> //; left.
have [/andP[i1 Mi1]|clear] := boolP ((i.+1 < n)%N && _); first by exists s; split=> //; right.
have [j0 le_ij Mj] := pivot_exists MU above.
have j0_fits : j0 \in fitting i (fA s).
  rewrite mem_filter mem_enum andbT Mj andbT ltn_neqAle; apply/andP; split; last first.
    by rewrite ltn_neqAle le_ij andbT; apply: contraNneq Mj => /val_inj <-; rewrite Mii.
  apply/eqP=> j0E; case/negP: clear; rewrite j0E ltn_ord /=.
  by rewrite (_ : after i = j0) //; apply: val_inj; rewrite /= afterE j0E.
set l := fitting i (fA s) in j0_fits *; have size_l : (0 < size l)%N by case: (l) j0_fits.
case E: (drop _ l) => [|j l'].
  have := congr1 size E; rewrite size_drop /= => /eqP; rewrite subn_eq0 leqNgt.
  by rewrite ltn_pmod.
have : j \in l by apply: (@mem_drop (w i %% size l)); rewrite E mem_head.
rewrite mem_filter mem_enum andbT => /andP[lt_ij Mji].
have i1 : (i.+1 < n)%N by apply: ltn_trans lt_ij (ltn_ord j).
have aE := afterE i1; set a := after i in aE *.
have PU : perm_mx (tperm a j) \in @unitmx [comUnitRingType of 'F_2] n by exact: unitmx_perm.
have fix_low r : (r <= i)%N -> tperm a j r = r by move=> ri; rewrite tpermD // -val_eqE /=; lia.
eexists; split; first by [].
- split=> //=.
  + by exists (tperm a j * t)%g; rewrite xrowE Bt -perm_mxM.
  + rewrite xrowE -renamed_mul ?Bt ?unitmx_perm // -Bt eq2 !renamedM //.
    rewrite swap_back => [|k]; last by rewrite in_taken; lia.
    rewrite swap_bothE (@renamed_product _ (fun k => nth 1%:M (map (swap_both a j) (fV s)) k)) //.
    move=> k; rewrite in_taken => ki; rewrite -swap_bothE (nth_map 1%:M) ?sV //.
  + by rewrite swap_bothE !unitmx_mul PU MU unitmx_inv PU.
  + move=> r ri; apply/rowP=> c; rewrite mxE swap_both_entry fix_low; last exact: ltnW.
    rewrite (unit_above_entry _ above ri) mxE eqxx -{1}(fix_low r (ltnW ri)).
    by rewrite (inj_eq perm_inj).
  + by rewrite size_map.
  move=> k; have [ki|ik] := ltnP k i; last by rewrite nth_default ?size_map ?sV // exchange_one.
  by rewrite (nth_map 1%:M) ?sV // exchange_swap // -val_eqE /=; lia.
by right; split=> //=; rewrite swap_both_entry tpermL fix_low.
Qed.

Lemma step_b_invariant A i s : invariant_2 A i s ->
  fA s i i != 0 \/ (i.+1 < n)%N /\ fA s (after i) i != 0 -> let s' := step_b i s in
  (exists t : 'S_n, fB s' = perm_mx t) /\
  [/\ renamed A (fB s') = neighbours_back (nth false (fE s')) (take i.+1 (enum 'I_n))
        *m fA s' *m product (fun j => nth 1%:M (fV s') j) (take i (enum 'I_n)),
      fA s' \in unitmx, unit_above i (fA s'), fA s' i i = 1
    & [/\ size (fE s') = i.+1, size (fV s') = i, forall j : nat, nth false (fE s') j -> (j.+1 < n)%N
      & forall j, exchange j (nth 1%:M (fV s') j)]].
Proof.
move=> [Bt eq2 MU above [sE sV] fit eV] pivot s'; split; first by rewrite /s' /step_b; case: ifP.
have take_i : take i.+1 (enum 'I_n) = rcons (take i (enum 'I_n)) i.
  by rewrite (take_nth ord0) ?size_enum_ord // nth_ord_enum.
have low e : neighbours_back (nth false (rcons (fE s) e)) (take i (enum 'I_n))
    = neighbours_back (nth false (fE s)) (take i (enum 'I_n)).
  by apply: eq_back => k; rewrite in_taken nth_rcons sE => ->.
have fit' (e : bool) : (e -> (i.+1 < n)%N) ->
    forall j : nat, nth false (rcons (fE s) e) j -> (j.+1 < n)%N.
  move=> ei j; rewrite nth_rcons sE; case: ltngtP => // [_|->]; [exact: fit|exact: ei].
rewrite /s' /step_b; case: eqP => [Mii|/eqP]; last first.
  rewrite f2_neq0 => /eqP Mii; split=> //=.
    by rewrite take_i back_rcons low /neighbours nth_rcons sE ltnn eqxx mulmx1.
  by split; rewrite ?size_rcons ?sE //; apply: fit'.
case: pivot => [|[i1 Mi1]]; first by rewrite Mii eqxx.
have aE := afterE i1; set a := after i in aE *.
split=> //=.
- rewrite take_i back_rcons low /neighbours nth_rcons sE ltnn eqxx xrowE -/(after i) -/a.
  by rewrite -!mulmxA (mulmxA (perm_mx _)) -perm_mxM tperm2 perm_mx1 mul1mx mulmxA.
- by rewrite xrowE unitmx_mul unitmx_perm.
- move=> r ri; rewrite -above //; apply/rowP=> c; rewrite !mxE tpermD // -val_eqE /=; lia.
- by rewrite mxE tpermL; apply/eqP; rewrite -f2_neq0.
by split; rewrite ?size_rcons ?sE //; apply: fit'.
Qed.

Lemma pass_invariant w A i s : invariant_2 A i s ->
  exists2 s', pass w i s = Some s' & invariant_2 A i.+1 s'.
Proof.
move=> /(step_a_invariant w)[s1 [s1E inv1 pivot]]; rewrite /pass s1E; eexists; first by [].
have /= := step_b_invariant inv1 pivot; move: (step_b i s1) => {inv1 pivot s1E} s0.
move=> [Bt [eq2 MU above Mii [sE sV fit eV]]].
have eVi := exchange_partial Mii; have [VV _] := exchange_involution eVi.
have take_i : take i.+1 (enum 'I_n) = rcons (take i (enum 'I_n)) i.
  by rewrite (take_nth ord0) ?size_enum_ord // nth_ord_enum.
rewrite /step_c; split=> //=.
- rewrite eq2 [in RHS]take_i /product foldl_rcons nth_rcons sV ltnn eqxx -!mulmxA.
  congr (_ *m _); first by rewrite take_i.
  rewrite [in RHS](mulmxA (partial _ _)) VV mul1mx; congr (_ *m _).
  by apply: eq_in_foldl => Y k; rewrite in_taken nth_rcons sV => ->.
- by rewrite unitmx_mul MU (exchange_unit eVi).
- move=> r; rewrite ltnS leq_eqVlt => /orP[/eqP/val_inj ->|ri].
    have -> : row i (fA s0 *m partial (fA s0) [set i]) = row i (partial (fA s0) [set i] *m
        partial (fA s0) [set i]) by rewrite !row_mul row_partial set11.
    by rewrite VV row1.
  rewrite row_mul above // -rowE row_partial in_set1 -val_eqE /= ifN //; lia.
- by rewrite size_rcons sV.
move=> k; rewrite nth_rcons sV; case: ltngtP => // [ki|/val_inj -> //]; exact: exchange_one.
Qed.

Lemma passes_invariant w A (k : nat) : A \in unitmx -> (k <= n)%N ->
  exists2 s, after_passes w A k = Some s & invariant_2 A k s.
Proof.
move=> AU; elim: k => [_|k IH lt_k].
  exists (Factoring 1%:M A [::] [::]); first by rewrite /after_passes take0.
  split=> //=; first by exists 1%g; rewrite perm_mx1.
  - by rewrite take0 /renamed invmx1 !mulmx1 !mul1mx.
  - by move=> j; rewrite nth_nil.
  by move=> j; rewrite nth_nil exchange_one.
have [s sE inv] := IH (ltnW lt_k); pose i := Ordinal lt_k.
have [s' passE inv'] := @pass_invariant w A i s inv; exists s' => //.
rewrite /after_passes (take_nth ord0) ?size_enum_ord // foldl_rcons -/(after_passes w A k) sE.
by rewrite -[k in nth _ _ k]/(val i) nth_ord_enum.
Qed.

(* Invariant (2), whatever j the passes select: B is a permutation, the E exchange neighbours or
   nothing, the V are trivial but for one row, and the rest is invertible and trivial in the rows
   done. *)
(** Claims: sibeyn.eq1. *)
Theorem sibeyn_invariant w A (k : nat) : A \in unitmx -> (k <= n)%N ->
  exists s (t : 'S_n), [/\ after_passes w A k = Some s, fB s = perm_mx t,
    renamed A (fB s) = neighbours_back (nth false (fE s)) (take k (enum 'I_n))
      *m fA s *m product (fun j => nth 1%:M (fV s) j) (take k (enum 'I_n)),
    forall j : nat, nth false (fE s) j -> (j.+1 < n)%N
  & [/\ forall j, exchange j (nth 1%:M (fV s) j), fA s \in unitmx
    & forall r, (r < k)%N -> row r (fA s) = delta_mx 0 r]].
Proof.
move=> AU kn; have [s sE [[t Bt] eq2 MU above _ fit eV]] := passes_invariant w AU kn.
by exists s, t; split.
Qed.

(* The algorithm ends with decomposition (1). *)
(** Claims: sibeyn.eq1. *)
Theorem sibeyn_algorithm_correct w A : A \in unitmx ->
  exists s (t : 'S_n), [/\ sibeyn_algorithm w A = Some s, fB s = perm_mx t,
    renamed A (fB s) = neighbours_back (nth false (fE s)) (enum 'I_n)
      *m product (fun j => nth 1%:M (fV s) j) (enum 'I_n),
    forall j : nat, nth false (fE s) j -> (j.+1 < n)%N
  & forall j, exchange j (nth 1%:M (fV s) j)].
Proof.
move=> AU; have [s [t [sE Bt eq2 fit [eV _ above]]]] := sibeyn_invariant w AU (leqnn n).
exists s, t; split=> //; rewrite eq2 take_oversize ?size_enum_ord // (_ : fA s = 1%:M) ?mulmx1 //.
by apply/row_matrixP=> r; rewrite above // row1.
Qed.

End Algorithm.
