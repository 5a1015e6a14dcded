(* Generic lemmas: numbers modulo 2, largest and least values, counting, blocks of numbers. Nothing
   here is about messages; no statement of a theorem reaches a definition of this file. *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.

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

(** ** Numbers *)

Local Open Scope nat_scope.

Lemma mod_double K m : 0 < K ->
  m %% K = if m %% (2 * K) < K then m %% (2 * K) else m %% (2 * K) - K.
Proof.
move=> K0; rewrite -(@modn_dvdm (2 * K) m K) ?dvdn_mull //.
have : m %% (2 * K) < 2 * K by rewrite ltn_mod; lia.
move: (m %% (2 * K)) => r lt_r; case: ltnP => [lt_rK|le_Kr]; first by rewrite modn_small.
by rewrite -{1}(subnK le_Kr) modnDr modn_small //; lia.
Qed.

Lemma mod_once p x : x < 2 * p -> x %% p = if x < p then x else x - p.
Proof.
move=> xp; case: ltnP => [/modn_small //|px].
by rewrite -{1}(subnK px) modnDr modn_small //; lia.
Qed.

(* Two numbers in different blocks of size B are as far apart as the blocks. *)
Lemma blocks_apart B q q' : q < q' -> q * B + B <= q' * B.
Proof. by move=> lt_q; rewrite addnC -mulSn leq_mul2r lt_q orbT. Qed.

Lemma count_interval a b N : b <= N -> count (fun p => a <= p < b) (iota 0 N) = b - a.
Proof.
elim: N b => [|N IH] b leb; first by rewrite /=; lia.
rewrite -addn1 iotaD count_cat /= add0n.
have [bN|Nb] := leqP b N; first by rewrite IH //; lia.
have -> : b = N.+1 by lia.
rewrite (@eq_in_count _ _ (fun p => a <= p < N)) ?IH //; first by lia.
by move=> p; rewrite mem_iota; lia.
Qed.

Lemma sum_powers n : \sum_(l < n) 2 ^ l = (2 ^ n).-1.
Proof.
elim: n => [|n IH]; first by rewrite big_ord0 expn0.
have K0 : 0 < 2 ^ n by rewrite expn_gt0.
by rewrite big_ord_recr /= IH expnS; lia.
Qed.

(** ** Lists *)

Lemma eq_in_foldl (T : Type) (I : eqType) (f g : T -> I -> T) z (s : seq I) :
  (forall y (a : I), a \in s -> f y a = g y a) -> foldl f z s = foldl g z s.
Proof.
elim: s z => //= k l IH z same; rewrite same ?mem_head // IH // => y j jl.
by apply: same; rewrite in_cons jl orbT.
Qed.

(* The least value of a list that is not empty. *)
Lemma least_of (f : nat -> nat) (a : nat) (s : seq nat) (v : nat) :
  v \in map f (a :: s) -> (forall c, c \in a :: s -> v <= f c)%N -> foldr minn (f a) (map f s) = v.
Proof.
elim: s => [|c s IH]; first by rewrite inE => /eqP.
have le_c : (foldr minn (f a) (map f s) <= f a)%N.
  by elim: (s) => //= x r le; apply: leq_trans (geq_minr _ _) le.
rewrite /= !inE => v_in below; have [va|vc] : v = f c \/ v \in map f (a :: s).
- by move: v_in => /or3P[/eqP ->|/eqP ->|vs]; [right|left|right]; rewrite //= inE ?eqxx // vs orbT.
- apply/eqP; rewrite eqn_leq va geq_minl leq_min leqnn -va /=.
  elim: (s) (below) => [|x r le] low /=; first by apply: low; rewrite inE eqxx.
  rewrite leq_min low ?inE ?eqxx ?orbT //= le // => j; rewrite !inE => j_in; apply: low.
  by move: j_in; rewrite !inE => /or3P[] ->; rewrite ?orbT.
rewrite IH // => [|j]; last by rewrite inE => /orP[] j_in; apply: below; rewrite !inE j_in ?orbT.
by apply/minn_idPr/below; rewrite !inE eqxx orbT.
Qed.
