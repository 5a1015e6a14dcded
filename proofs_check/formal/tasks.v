(* Diaz de Cerio, Valero-Garcia, Gonzalez: whole tasks on a mesh (section 4.2).

   A task is cut into parts of 2 c dimensions from the top, and a rest of less at the bottom; the
   parts are done one after another, from the bottom. Messages of two parts have different steps, so
   the whole is free of conflict just when its rest is. The loads of the parts add up to the load of
   the whole; a bound of a part is above its load only where the part has more dimensions, which for
   c = 2 and c = 3 happens at the lowest dimensions alone (Lemma 2).

   rest_step i r k x == the step of x's message along k in the schedule of [i, r], r < 2 c
   parts_bound i r n == the bounds of the rest [i, r] and of n parts of 2 c dimensions above, added
   parts_length i r n == one more where c < r and the bound of the rest is odd: the steps of these
   parts_step i r n k x == the step of x's message along k where these are done one after another
   task_step i M == the paper's schedule of [i, M]
   task_length i M == its steps *)

From mathcomp Require Import all_ssreflect zify.
From lcc Require Import utility embedding line mesh schedules degree.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Lemma window_gt0 i r k : i <= k < i + r -> 0 < r.
Proof. lia. Qed.

Section Tasks.

Variables (c e : nat).
Hypothesis c0 : 0 < c.
Implicit Types (x y : {ffun 'I_(c * e) -> bool}) (k : 'I_(c * e)) (i M r n : nat).

Definition rest_step i r k x := if r <= c then single_step i r k x else pair_step i r k x.

Fixpoint parts_bound i r n := if n is n'.+1
  then parts_bound i r n' + mesh_bound c (i + r + 2 * c * n') (2 * c) else mesh_bound c i r.

Definition parts_length i r n := parts_bound i r n + ((c < r) && odd (mesh_bound c i r)).

Fixpoint parts_step i r n k x := if n is n'.+1 then
  if k < i + r + 2 * c * n' then parts_step i r n' k x
  else parts_length i r n' + pair_step (i + r + 2 * c * n') (2 * c) k x
else rest_step i r k x.

Definition task_step i M := parts_step i (M %% (2 * c)) (M %/ (2 * c)).

Definition task_length i M := parts_length i (M %% (2 * c)) (M %/ (2 * c)).

(** ** One after another *)

Lemma rest_step_lt i r k x : r < 2 * c -> i <= k < i + r -> i + r <= c * e ->
  rest_step i r k x < parts_length i r 0.
Proof.
move=> rc ik fits; rewrite /rest_step /parts_length /=; have [le_rc|lt_cr] := leqP r c.
  have r1 : 0 < r <= c by rewrite le_rc andbT (window_gt0 ik).
  by have [_ /(_ k x)] := calmant_property_2 c0 r1 fits; rewrite addn0.
have cr : c < r <= 2 * c by rewrite lt_cr ltnW.
by have [_ /(_ k x) + _] := calmant_property_3 c0 cr fits.
Qed.

Lemma parts_lengthS i r n :
  parts_length i r n.+1 = parts_length i r n + mesh_bound c (i + r + 2 * c * n) (2 * c).
Proof. by rewrite /parts_length addnAC. Qed.

Lemma parts_step_lt i r n k x : r < 2 * c -> i <= k < i + (r + 2 * c * n) ->
  i + (r + 2 * c * n) <= c * e -> parts_step i r n k x < parts_length i r n.
Proof.
move=> rc; elim: n => [|n IH] ik fits.
  by rewrite muln0 addn0 in ik fits; apply: rest_step_lt.
rewrite parts_lengthS /= mulnS in ik fits *; have [lt_k|le_k] := ltnP k (i + r + 2 * c * n).
  have ik' : i <= k < i + (r + 2 * c * n) by rewrite addnA lt_k andbT; case/andP: ik.
  by apply: leq_trans (IH ik' _) (leq_addr _ _); apply: leq_trans fits; lia.
have fits' : i + r + 2 * c * n + 2 * c <= c * e by apply: leq_trans fits; lia.
by have [_ /(_ k x)] := calmant_property_1 c0 fits'; rewrite ltn_add2l.
Qed.

Lemma parts_rest i r n k x : k < i + r -> parts_step i r n k x = rest_step i r k x.
Proof.
by move=> lt_k; elim: n => //= n ->; rewrite (leq_trans lt_k) // leq_addr.
Qed.

Lemma parts_free i r n : r < 2 * c -> i + (r + 2 * c * n) <= c * e ->
  mesh_conflict_free i r (rest_step i r) ->
  mesh_conflict_free i (r + 2 * c * n) (parts_step i r n).
Proof.
move=> rc + rest_free; elim: n => [|n IH] fits.
  by rewrite muln0 addn0 => k x k' y ik ik'; apply: rest_free.
have fits0 : i + (r + 2 * c * n) <= c * e by apply: leq_trans fits; rewrite mulnS; lia.
have fits' : i + r + 2 * c * n + 2 * c <= c * e by apply: leq_trans fits; rewrite mulnS; lia.
have [top_free _ _] := calmant_property_1 c0 fits'.
have top : i + (r + 2 * c * n.+1) = i + r + 2 * c * n + 2 * c by rewrite mulnS; lia.
move=> k x k' y; rewrite top /= => ik ik' apart.
have low (j : 'I_(c * e)) : i <= j -> j < i + r + 2 * c * n -> i <= j < i + (r + 2 * c * n).
  by move=> ij lt_j; rewrite ij addnA.
case/andP: ik => ik lt_k; case/andP: ik' => ik' lt_k'.
have [k_low|k_low] := ltnP k (i + r + 2 * c * n);
  have [k'_low|k'_low] := ltnP k' (i + r + 2 * c * n).
- by apply: (IH fits0); rewrite ?low.
- by have := parts_step_lt x rc (low _ ik k_low) fits0; lia.
- by have := parts_step_lt y rc (low _ ik' k'_low) fits0; lia.
by move/addnI; apply: top_free; rewrite ?k_low ?k'_low.
Qed.

(* Free of conflict just when the rest is, if there is one. *)
(** Claims: calmant.schedule (when it is free of conflicts). *)
Theorem calmant_task i M : i + M <= c * e ->
  (mesh_conflict_free i M (@task_step i M)
   <-> (M %% (2 * c) <= c) || (c <= uphalf (mesh_bound c i (M %% (2 * c)))))
  /\ forall k x, i <= k < i + M -> task_step i M k x < task_length i M.
Proof.
move=> fits; have rc : M %% (2 * c) < 2 * c by rewrite ltn_mod; lia.
have ME : M = M %% (2 * c) + 2 * c * (M %/ (2 * c)).
  by rewrite addnC [2 * c * _]mulnC -divn_eq.
rewrite /task_step /task_length; move: (M %% _) (M %/ _) rc ME => r n rc ME.
subst M; split=> [|k x ik]; last exact: parts_step_lt.
have fits_r : i + r <= c * e by apply: leq_trans fits; rewrite addnA leq_addr.
split=> [free|room]; last first.
  apply: parts_free => //; rewrite /rest_step; have [le_rc|lt_cr] := leqP r c; last first.
    have cr : c < r <= 2 * c by rewrite lt_cr ltnW.
    by have [[_ free] _ _] := calmant_property_3 c0 cr fits_r; apply: free; move: room; lia.
  have [->|r0] := posnP r; first by move=> k x k' y; rewrite addn0; lia.
  have r1 : 0 < r <= c by rewrite r0.
  by have [free _] := calmant_property_2 c0 r1 fits_r.
have [//|lt_cr] := leqP r c; rewrite orFb.
have cr : c < r <= 2 * c by rewrite lt_cr ltnW.
have [[room _] _ _] := calmant_property_3 c0 cr fits_r; apply: room => k x k' y ik ik' apart same.
have wide (j : 'I_(c * e)) : i <= j < i + r -> i <= j < i + (r + 2 * c * n).
  by case/andP=> -> lt_j; rewrite addnA (leq_trans lt_j) // leq_addr.
apply: free; rewrite ?wide // !parts_rest; [|by case/andP: ik'|by case/andP: ik].
by rewrite /rest_step leqNgt lt_cr.
Qed.

(** ** What the parts add up to *)

Lemma load_mono i i' M : i <= i' -> mesh_load i M c <= mesh_load i' M c.
Proof. by move=> ii; apply/line_load_mono/leq_div2r; rewrite leq_add2r. Qed.

Lemma load0 i : mesh_load i 0 c = 0.
Proof. by rewrite /mesh_load add0n [c.-1 %/ c]divn_small ?line_load0 ?ltn_predL. Qed.

Lemma whole_load i : mesh_load i (2 * c) c = 2 ^ ((i + 2 * c).-1 %/ c).
Proof. by apply: (@pair_mesh_load c (i + 2 * c)) => //; [lia|apply: leq_pmull]. Qed.

Lemma loads_add i M : mesh_load i (M + 2 * c) c = mesh_load i M c + mesh_load (i + M) (2 * c) c.
Proof.
rewrite [in RHS]whole_load; have [->|M0] := posnP M; first by rewrite load0 !add0n addn0 whole_load.
have := divn_eq M.-1 c; have := ltn_pmod M.-1 c0.
rewrite /mesh_load (_ : (M + 2 * c).-1 = 2 * c + M.-1) ?modnMDl; last by lia.
move: (M.-1 %% c) (M.-1 %/ c) => s q sc ME.
have -> : (M + c.-1) %/ c = q.+1.
  by rewrite (_ : M + c.-1 = q.+1 * c + s) ?divnMDl ?divn_small ?addn0 //; rewrite mulSn; lia.
have -> : (M + 2 * c + c.-1) %/ c = q.+3.
  by rewrite (_ : _ + c.-1 = q.+3 * c + s) ?divnMDl ?divn_small ?addn0 //; rewrite !mulSn; lia.
rewrite line_loadSS; congr (_ + 2 ^ _).
rewrite (_ : (i + M + 2 * c).-1 = q.+2 * c + (i + s)); last by rewrite !mulSn; lia.
by rewrite divnMDl // addnS addnC.
Qed.

(* Above the first part of 2 c dimensions a bound is a load, for four axes at most. *)
Lemma parts_boundS i r n : c <= 4 ->
  parts_bound i r n.+1 + mesh_load i (r + 2 * c) c
  = parts_bound i r 1 + mesh_load i (r + 2 * c * n.+1) c.
Proof.
move=> c4; elim: n => [|n IH]; first by rewrite muln1.
have load : mesh_bound c (i + r + 2 * c * n.+1) (2 * c)
    = mesh_load (i + (r + 2 * c * n.+1)) (2 * c) c.
  rewrite /mesh_bound addnA; apply/maxn_idPl; rewrite whole_load.
  apply: (@leq_trans (2 ^ 3)); first by rewrite (_ : 2 ^ 3 = 8) //; lia.
  by rewrite leq_exp2l // leq_divRL // mulnS; lia.
have -> : r + 2 * c * n.+2 = r + 2 * c * n.+1 + 2 * c by rewrite !mulnS; lia.
by rewrite (loads_add i (r + 2 * c * n.+1)) -load addnA -IH [in RHS]addnAC.
Qed.

(* Where no part has more dimensions than load, all bounds are loads. *)
Lemma parts_bound_load i r n : (forall j, i <= j -> 2 * c <= mesh_load j (2 * c) c) ->
  r <= mesh_load i r c -> parts_bound i r n = mesh_load i (r + 2 * c * n) c.
Proof.
move=> high rest; elim: n => [|n IH]; first by rewrite muln0 addn0; apply/maxn_idPl.
rewrite /= IH /mesh_bound (maxn_idPl (high _ _)); last by rewrite -addnA leq_addr.
by rewrite -addnA -loads_add mulnS; congr mesh_load; lia.
Qed.

End Tasks.

(* From dimension i0 on, all bounds are loads; below, the first part decides. *)
Lemma lowest_parts c i0 least ex :
  0 < c <= 4 -> 2 * c <= mesh_load i0 (2 * c) c ->
  all (fun r => r <= mesh_load i0 r c) (iota 0 (2 * c)) ->
  all (fun i => all (fun r => parts_bound c i r 1 <= mesh_load i (r + 2 * c) c + ex)
    (iota 0 (2 * c))) (iota 0 i0) ->
  all (fun i => all (fun M => parts_bound c i (M %% (2 * c)) (M %/ (2 * c)) <= mesh_bound c i M)
    (iota 0 (maxn least (2 * c)))) (iota 0 i0) ->
  forall i M, parts_bound c i (M %% (2 * c)) (M %/ (2 * c))
    <= mesh_bound c i M + (if (least <= M) && (i < i0) then ex else 0).
Proof.
case/andP=> c0 c4 whole rests firsts small i M; have rc : M %% (2 * c) < 2 * c.
  by rewrite ltn_mod muln_gt0 c0.
have ME : M = M %% (2 * c) + 2 * c * (M %/ (2 * c)) by rewrite addnC [2 * c * _]mulnC -divn_eq.
have [low|high] := ltnP i i0; last first.
  rewrite andbF addn0 parts_bound_load //; first by rewrite -ME leq_maxl.
    by move=> j ij; apply: leq_trans whole (load_mono _ _ (leq_trans high ij)).
  by apply: leq_trans (load_mono c _ high); have /allP-> := rests; rewrite ?mem_iota.
have i_in : i \in iota 0 i0 by rewrite mem_iota.
have [lt_M|le_M] := ltnP M (maxn least (2 * c)).
  have /allP/(_ M) := allP small i i_in; rewrite mem_iota lt_M => /(_ isT) le.
  exact: leq_trans le (leq_addr _ _).
move: le_M; rewrite geq_max => /andP[-> le_M] /=.
have [n nE] : exists n, M %/ (2 * c) = n.+1.
  by exists (M %/ (2 * c)).-1; rewrite prednK // divn_gt0 ?muln_gt0 ?c0.
have := parts_boundS c0 i (M %% (2 * c)) n c4; rewrite -nE -ME.
have /allP/(_ (M %% (2 * c))) := allP firsts i i_in; rewrite mem_iota rc => /(_ isT).
have := leq_maxl (mesh_load i M c) M; rewrite -/(mesh_bound c i M); lia.
Qed.

(** Claims: calmant.lem2. *)
Theorem calmant_lemma_2 c i M : c = 2 \/ c = 3 ->
  mesh_bound c i M <= parts_bound c i (M %% (2 * c)) (M %/ (2 * c))
  <= mesh_bound c i M + (if (c == 2) && (7 <= M) && (i <= 1) then 2
                         else if (c == 3) && (9 <= M) && (i <= 4) then 4 else 0).
Proof.
move=> c23; apply/andP; split; last first.
  case: c23 => -> /=.
    exact: (@lowest_parts 2 2 7 2).
  exact: (@lowest_parts 3 5 9 4).
have c0 : 0 < c by case: c23 => ->.
rewrite {1}(divn_eq M (2 * c)) addnC [_ * (2 * c)]mulnC; move: (M %% _) (M %/ _) => r n.
elim: n => [|n IH]; first by rewrite muln0 addn0.
rewrite (_ : r + 2 * c * n.+1 = r + 2 * c * n + 2 * c); last by rewrite mulnS; lia.
have [_ le] := @calmant_load_parts c (i + (r + 2 * c * n + 2 * c)) c0 i (r + 2 * c * n) (2 * c)
  (leq_pmull _ c0).
by apply: leq_trans le _; rewrite /= -[i + r + _]addnA leq_add2r.
Qed.

(* The sum of the bounds, and the step more of the rest. *)
(** Claims: calmant.r.amended (that no message has a later step). *)
Theorem calmant_extra_step c i M : 0 < c ->
  let r := M %% (2 * c) in
  task_length c i M
  = parts_bound c i r (M %/ (2 * c)) + ((maxn c (mesh_load i r c) < r) && odd M).
Proof.
move=> c0 r; have rc : r < 2 * c by rewrite ltn_mod muln_gt0 c0.
rewrite /task_length /parts_length -/r; congr (_ + nat_of_bool _).
have -> : odd M = odd r.
  by rewrite (divn_eq M (2 * c)) oddD mulnA mulnAC muln2 odd_double.
rewrite gtn_max; have [//|cr] := leqP r c; have cr' : c < r <= 2 * c by rewrite cr ltnW.
have even := @pair_load_even c (i + r) c0 i r cr' (leq_pmull _ c0).
by rewrite /mesh_bound /=; case: ltnP => // _; rewrite (negPf even).
Qed.
