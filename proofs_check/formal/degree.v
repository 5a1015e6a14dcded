(* The time of a pipelined program in the deep regime has one valley.

   With Q packets of N/Q items a program of d iterations takes T(Q) = (A + B Q)(alpha + N/Q tau)
   + (d + Q - 1) b, where A + B Q steps are made at Q >= d, and the cost of a message is one
   straight piece. Q Q' (T(Q) - T(Q')) = (Q' - Q)(A N tau - (B alpha + b) Q Q'): so T falls as
   long as (B alpha + b) Q Q' is below A N tau, and then rises. Times are whole numbers.

   A is not negative where a task never takes more steps than its two parts one after another. The
   load is so, as a link carries the messages of both, and the larger of load and M, too. *)

From mathcomp Require Import all_ssreflect zify.
From lcc Require Import utility embedding line mesh schedules.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* t q is q T(q), so T(Q) <= T(Q') where t Q * Q' <= t Q' * Q. *)
Lemma time_le A B d N alpha tau b Q Q' :
  let t q := (A + B * q) * (alpha * q + N * tau) + (d + q).-1 * b * q in
  0 < Q < Q' -> (t Q * Q' <= t Q' * Q) = (A * N * tau <= (B * alpha + b) * (Q * Q')).
Proof.
move=> t /andP[Q0 QQ']; have [k ->] : exists k, Q' = Q + k.+1 by exists (Q' - Q).-1; lia.
case: Q Q0 {QQ'} => // q _; have step p : (d + p.+1).-1 = d + p by lia.
have same : t q.+1 * (q.+1 + k.+1) + (B * alpha + b) * (q.+1 * (q.+1 + k.+1)) * k.+1
    = t (q.+1 + k.+1) * q.+1 + A * N * tau * k.+1.
  by rewrite /t addSn !step; lia.
rewrite -[RHS](leq_pmul2r (ltn0Sn k)); move: (t _) (t _) same => x y.
by move: (_ * _ * k.+1) (A * N * tau * _) => u v; lia.
Qed.

(* Where T does not fall from Q to Q', it does not fall later. *)
Theorem calmant_deep_valley A B d N alpha tau b Q Q' Q'' :
  let t q := (A + B * q) * (alpha * q + N * tau) + (d + q).-1 * b * q in
  0 < Q < Q' -> Q' < Q'' -> t Q * Q' <= t Q' * Q -> t Q' * Q'' <= t Q'' * Q'.
Proof.
move=> t QQ' Q'Q''; rewrite /t !time_le //; last by case/andP: QQ' => ? ?; lia.
move=> low; apply: leq_trans low _; rewrite leq_mul2l [Q * Q']mulnC leq_mul2l.
by case/andP: QQ' => ? ?; lia.
Qed.

(* The printed T_deep: prologue, kernel and epilogue, of any count P of steps that is so. *)
Theorem calmant_deep_time P d N alpha tau b Q Q' Q'' :
  (forall k, 0 < k < d -> P 0 d <= P 0 k + P k (d - k)) ->
  let steps q := \sum_(1 <= k < d) (P 0 k + P k (d - k)) + (q - d.-1) * P 0 d in
  let t q := steps q * (alpha * q + N * tau) + (d + q).-1 * b * q in
  0 < d <= Q -> Q < Q' -> Q' < Q'' -> t Q * Q' <= t Q' * Q -> t Q' * Q'' <= t Q'' * Q'.
Proof.
move=> parts steps t /andP[d0 dQ] QQ' Q'Q''.
have [A AE] : exists A, \sum_(1 <= k < d) (P 0 k + P k (d - k)) = A + d.-1 * P 0 d.
  exists (\sum_(1 <= k < d) (P 0 k + P k (d - k)) - d.-1 * P 0 d); rewrite subnK //.
  rewrite -subn1 -sum_nat_const_nat big_nat [X in _ <= X]big_nat; apply: leq_sum => k; exact: parts.
have stepsE q : d <= q -> steps q = A + P 0 d * q.
  by move=> dq; rewrite /steps AE -addnA -mulnDl mulnC; congr (_ + _ * _); lia.
rewrite /t !stepsE; try lia.
by apply: calmant_deep_valley => //; lia.
Qed.

Section Parts.

Variables (c e : nat).
Hypothesis c0 : 0 < c.

Theorem calmant_load_parts i M M' : i + (M + M') <= c * e ->
  mesh_load i (M + M') c <= mesh_load i M c + mesh_load (i + M) M' c /\
  mesh_bound c i (M + M') <= mesh_bound c i M + mesh_bound c (i + M) M'.
Proof.
move=> fits; suff le : mesh_load i (M + M') c <= mesh_load i M c + mesh_load (i + M) M' c.
  by split=> //; rewrite /mesh_bound; lia.
have [->|N0] := posnP (M + M').
  by rewrite /mesh_load add0n [c.-1 %/ c]divn_small ?line_load0 //; lia.
have [_ /(_ N0)[a [m [ac lt_m top]]]] := calmant_theorem_3 c0 fits.
pose y : {ffun 'I_(c * e) -> bool} := [ffun=> false]; have [<- _] := top y.
have [/(_ a y m ac lt_m)[le_one _] _] := @calmant_theorem_3 c e c0 i M ltac:(lia).
have [/(_ a y m ac lt_m)[le_two _] _] := @calmant_theorem_3 c e c0 (i + M) M' ltac:(lia).
apply: leq_trans (leq_add le_one le_two); rewrite /mesh_up (bigID (fun k : 'I__ => k < i + M)) /=.
apply: leq_add; rewrite leq_eqVlt; apply/orP; left; apply/eqP; apply: eq_bigl => k; lia.
Qed.

End Parts.
