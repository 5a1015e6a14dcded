(* Benes networks realise every permutation.

   A network for twice as many lines is two networks between two columns of switches. Two messages
   that share a switch, at the inputs or at the outputs, must go through different halves. Being at
   one switch of the inputs, or of the outputs, are two pairings p and q of all messages. The
   cycles of r = q p come in pairs that p and q exchange: no x has p x on its own cycle, or p or q
   would leave a message alone. So one cycle of each pair goes through one half. *)

From mathcomp Require Import all_ssreflect all_fingroup zify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope group_scope.

(** ** Two pairings have a common colouring *)

Section Pairings.

Variables (X : finType) (p q : {perm X}).
Hypotheses (pK : forall x, p (p x) = x) (qK : forall x, q (q x) = x).
Hypotheses (p_moves : forall x, p x != x) (q_moves : forall x, q x != x).
Let r := q * p.

Lemma r_apply x : r x = p (q x). Proof. by rewrite permM. Qed.

Lemma p_back k x : p ((r ^+ k) x) = (r ^+ k)^-1 (p x).
Proof.
apply: (canRL (permK (r ^+ k))); elim: k x => [|k IH] x; first by rewrite expg0 !perm1.
have -> : p ((r ^+ k.+1) x) = q ((r ^+ k) x) by rewrite expgSr permM r_apply pK.
by rewrite expgS permM r_apply qK IH.
Qed.

Lemma other_cycle x : p x \notin porbit r x.
Proof.
apply/negP=> /porbitP[k]; rewrite -(odd_double_half k) -addnn.
set j := k./2; case: (odd k) => px; last first.
  by have := p_moves ((r ^+ j) x); rewrite p_back px add0n expgD permM permK eqxx.
have := q_moves ((r ^+ j) x).
have -> : q ((r ^+ j) x) = p ((r ^+ j.+1) x) by rewrite expgSr permM r_apply pK.
rewrite p_back px (_ : (true + (j + j) = j + j.+1)%N); last lia.
by rewrite expgD permM permK eqxx.
Qed.

Lemma cycle_p x y : (p y \in porbit r (p x)) = (y \in porbit r x).
Proof.
suff one u v : v \in porbit r u -> p v \in porbit r (p u).
  by apply/idP/idP=> [/one|/one //]; rewrite !pK.
by case/porbitP=> k ->; rewrite p_back porbit_sym; apply/porbitP; exists k; rewrite permKV.
Qed.

Definition colour x := (enum_rank (porbit r x) < enum_rank (porbit r (p x)))%N.

Lemma colour_p x : colour (p x) = ~~ colour x.
Proof.
rewrite /colour pK -leqNgt [RHS]leq_eqVlt; case: eqP => // same; exfalso.
have /enum_rank_inj same' : enum_rank (porbit r (p x)) = enum_rank (porbit r x).
  exact: val_inj.
by have := other_cycle x; rewrite -same' porbit_id.
Qed.

Lemma colour_q x : colour (q x) = ~~ colour x.
Proof.
have qx : q x = p (r x) by rewrite r_apply pK.
rewrite qx colour_p; congr (~~ _); rewrite /colour.
have rx : r x \in porbit r x by have := mem_porbit r 1 x; rewrite expg1.
have -> : porbit r (r x) = porbit r x by apply/eqP; rewrite eq_porbit_mem.
by have -> : porbit r (p (r x)) = porbit r (p x) by apply/eqP; rewrite eq_porbit_mem cycle_p.
Qed.

End Pairings.

(** ** The step *)

(* Messages at line (b, t), b the place at switch t, reach line s (b, t): through column f of
   switches, permutations h of the two halves, and column g. *)
Theorem benes_step (T : finType) (s : {perm bool * T}) :
  exists (f g : T -> bool) (h : bool -> {perm T}), forall b t,
    let half := b (+) f t in let w := h half t in s (b, t) = (half (+) g w, w).
Proof.
have flip_inj : injective (fun x : bool * T => (~~ x.1, x.2)).
  by move=> [b t] [b' t'] [/negb_inj -> ->].
pose p := perm flip_inj; pose q := s * p * s^-1.
have pE b t : p (b, t) = (~~ b, t) by rewrite permE.
have pK x : p (p x) = x by case: x => b t; rewrite !pE negbK.
have qE x : q x = s^-1 (p (s x)) by rewrite !permM.
have qK x : q (q x) = x by rewrite !qE permKV pK permK.
have p_moves x : p x != x by case: x => b t; rewrite pE xpair_eqE; case: b.
have q_moves x : q x != x by rewrite qE -(inj_eq (@perm_inj _ s)) permKV p_moves.
pose c := colour p q; have cp x : c (p x) = ~~ c x by apply: colour_p.
have cq x : c (q x) = ~~ c x by apply: colour_q.
have cb b t : c (b, t) = b (+) c (false, t) by case: b; rewrite // -[true]/(~~ false) -pE cp.
pose g w := c (s^-1 (false, w)).
have out x : (s x).1 = c x (+) g (s x).2.
  case E: (s x) => [b w] /=; have xE : x = s^-1 (b, w) by rewrite -E permK.
  case: b E xE => E xE; last by rewrite xE addbb.
  suff -> : c x = ~~ g w by rewrite addNb addbb.
  by have := cq x; rewrite qE E pE /= -/(g w) => ->; rewrite negbK.
pose line half t := (half (+) c (false, t), t).
have h_inj half : injective (fun t => (s (line half t)).2).
  move=> t t' same; suff /perm_inj[] : s (line half t) = s (line half t') by [].
  have one u : c (line half u) = half by rewrite cb -addbA addbb addbF.
  have := out (line half t); have := out (line half t'); rewrite !one same => <-.
  by case: (s _) same => [b w] /= ->; case: (s _) => [b' w'] /= ->.
exists (fun t => c (false, t)), g, (fun half => perm (h_inj half)) => b t /=.
have lineE : line (b (+) c (false, t)) t = (b, t) by rewrite /line -addbA addbb addbF.
rewrite permE lineE; have := out (b, t); rewrite cb.
by case: (s (b, t)) => [b' w] /= ->.
Qed.

(** ** The induction *)

Section Network.

(* 2^n lines; what is realised: by one switch, on two lines, and by two networks between columns. *)
Let wires n : finType := iter n (fun T : finType => [finType of bool * T]) [finType of unit].
Variable realised : forall n, {perm wires n} -> Prop.
Hypothesis switch : forall s : {perm wires 1}, realised s.
Hypothesis network : forall n (f g : wires n.+1 -> bool) (h : bool -> {perm wires n.+1})
  (s : {perm wires n.+2}), (forall half, realised (h half)) ->
  (forall (b : bool) (t : wires n.+1), let half := b (+) f t in let w := h half t in
     s (b, t) = (half (+) g w, w)) -> realised s.

(* All permutations of 2^(n+1) lines are, by 2n+1 columns of switches. *)
(** Claims: boppana.benes (where all subcubes take the dimensions in one order). *)
Theorem benes_rearrangeable n (s : {perm wires n.+1}) : realised s.
Proof.
elim: n s => [|n IH] s; first exact: switch.
have [f [g [h sE]]] := @benes_step (wires n.+1) s.
by apply: (@network _ f g h s) => [half|]; [apply: IH | apply: sE].
Qed.

End Network.
