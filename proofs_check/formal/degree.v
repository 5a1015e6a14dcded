(* The time of a pipelined program in the deep regime has one valley.

   With Q packets of N/Q items a program of d iterations takes T(Q) = (A + B Q)(alpha + N/Q tau)
   + (d + Q - 1) b, where A + B Q steps are made at Q >= d, and the cost of a message is one
   straight piece. Q Q' (T(Q) - T(Q')) = (Q' - Q)(A N tau - (B alpha + b) Q Q'): so T falls as
   long as (B alpha + b) Q Q' is below A N tau, and then rises. Times are whole numbers. *)

From mathcomp Require Import all_ssreflect zify.

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
