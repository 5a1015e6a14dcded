(* Generic lemmas: numbers modulo 2, largest values, counting by a toggle. Nothing here is about
   messages; no statement of a theorem reaches a definition of this file. *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** Arithmetic of bits *)

Lemma f2_neq0 (a : 'F_2) : (a != 0) = (a == 1).
Proof. by case: a => [[|[|m]] mP]. Qed.

Lemma f2_neq (a b : 'F_2) : a != b -> a = b + 1.
Proof. by case: a b => [[|[|m]] mP] [[|[|k]] kP] //= _; apply/val_inj. Qed.

Lemma f2_addxx (a : 'F_2) : a + a = 0.
Proof. by rewrite addrr_char2 // char_Fp. Qed.

Lemma f2_addK (a b : 'F_2) : a + b + b = a.
Proof. by rewrite -addrA f2_addxx addr0. Qed.

Lemma f2_oppr (a : 'F_2) : - a = a.
Proof. by rewrite oppr_char2 // char_Fp. Qed.

Lemma f2_add_eq0 (a b : 'F_2) : (a + b == 0) = (a == b).
Proof. by rewrite addr_eq0 f2_oppr. Qed.

Lemma vec_addxx m n (x : 'M['F_2]_(m, n)) : x + x = 0.
Proof. by apply/matrixP=> i j; rewrite !mxE f2_addxx. Qed.

Lemma vec_addK m n (x y : 'M['F_2]_(m, n)) : x + y + y = x.
Proof. by rewrite -addrA vec_addxx addr0. Qed.

Lemma vec_oppr m n (x : 'M['F_2]_(m, n)) : - x = x.
Proof. by apply/matrixP=> i j; rewrite !mxE f2_oppr. Qed.

Lemma card_F2 : #|{: 'F_2}| = 2%N.
Proof. by rewrite card_Fp. Qed.

Lemma mul_vec_inj m n (B C : 'M['F_2]_(m, n)) :
  (forall x : 'cV_n, B *m x = C *m x) -> B = C.
Proof.
move=> BC; apply/matrixP=> i j; have /matrixP/(_ i 0) := BC (delta_mx j 0).
by rewrite -!colE !mxE.
Qed.

(** ** Largest values, sums and sizes *)

Lemma max_const (T : finType) (f : T -> nat) N :
  (forall t, (0 < f t)%N -> f t = N) -> \max_t f t = if [exists t, 0 < f t]%N then N else 0%N.
Proof.
move=> fN; case: existsP => [[t0 ft0]|none].
  apply/eqP; rewrite eqn_leq -{2}(fN t0 ft0) leq_bigmax andbT; apply/bigmax_leqP=> t _.
  by have [->//|/fN ->] := posnP (f t).
by apply: big1 => t _; apply/eqP; rewrite -leqn0 leqNgt; apply/negP=> ft; apply: none; exists t.
Qed.

Lemma maxn_mono c v w : (v <= w -> maxn v c <= maxn w c)%N.
Proof. by move=> vw; rewrite geq_max leq_maxr andbT leq_max vw. Qed.

Lemma addn_mono c v w : (v <= w -> v + c <= w + c)%N.
Proof. by rewrite leq_add2r. Qed.

(* A map that leads from P to not P, and back, shows that half of a set satisfies P. *)
Lemma card_toggle (T : finType) (X : {set T}) (P : pred T) (t : T -> T) :
  (forall x, x \in X -> [/\ t x \in X, t (t x) = x & P (t x) = ~~ P x]) ->
  #|X| = (2 * #|[set x in X | P x]|)%N.
Proof.
move=> tP; rewrite -(cardsID [set x | P x] X) mul2n -addnn; congr (_ + _)%N.
  by apply: eq_card => x; rewrite !inE.
rewrite -[RHS](@card_in_imset _ _ t) => [|x y]; last first.
  by rewrite !inE => /andP[/tP[_ tx _] _] /andP[/tP[_ ty _] _] xy; rewrite -tx xy ty.
apply: eq_card => x; rewrite !inE; apply/andP/imsetP=> [[Px Xx]|[y]].
  have [Xt tt Pt] := tP x Xx; exists (t x); rewrite ?tt // inE Xt Pt.
  exact: Px.
by rewrite inE => /andP[/tP[Xt _ Pt] Py] ->; rewrite Xt Pt Py.
Qed.
