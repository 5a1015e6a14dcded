(* Hou, Wang, Ku, Hsu: Theorem 6, for any price of a step and any monotone way to add prices up.

   Where a message stands depends on the set of corrected bits alone. So the price of correcting bit
   j next is a function of the set S and of j, whatever is sent; the cost of an order is built up
   along it. The last bit j of a best order of S follows a best order of S - j: replacing what comes
   before it by something no worse makes the whole no worse.

   cost S v l == the cost of correcting the bits of l one after another, after S at cost v
   order_of S l == l has the bits of S, each once
   best k S == the least over the last bit j of S, of best (S - j) and the price of j after S - j
   programme S == the subset programme's value at S
   volume_load S j == the largest volume on a channel of dimension j after S
   load_of A b scatters r S j == the load of communication r of a set, a gather or a scatter
   max_load A b scatters S j == the largest load of a step
   sum_load A b scatters S j == the sum of the loads of a step *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Programme.

Variables (n : nat) (C : Type) (price : bits n -> 'I_n -> C) (add : nat -> C -> nat) (v0 : nat).
Hypothesis add_mono : forall c v w, v <= w -> add v c <= add w c.
Implicit Types (S : bits n) (j : 'I_n) (l : seq 'I_n).

(* The cost of an order, after the bits in S at cost v. *)
Fixpoint cost S v l := if l is j :: l' then cost (j |: S) (add v (price S j)) l' else v.

Definition order_of S l := uniq l /\ l =i S.

(* The subset programme: the best last bit, for every set. *)
Fixpoint best k S := if k is k'.+1 then
  if [pick j in S] is Some j0 then
    let f j := add (best k' (S :\ j)) (price (S :\ j) j) in f [arg min_(j < j0 in S) f j]
  else v0 else v0.

Definition programme S := best #|S| S.

Lemma cost_rcons S v l j :
  cost S v (rcons l j) = add (cost S v l) (price (S :|: [set x in l]) j).
Proof.
elim: l S v => [|k l IH] S v /=.
  by congr (add _ (price _ _)); apply/setP=> x; rewrite !inE orbF.
by rewrite IH; congr (add _ (price _ _)); apply/setP=> x; rewrite !inE orbCA orbA.
Qed.

Lemma order_rcons S l j : j \in S -> order_of (S :\ j) l -> order_of S (rcons l j).
Proof.
move=> jS [lU lS]; split; first by rewrite rcons_uniq lU lS !inE eqxx.
by move=> x; rewrite mem_rcons inE lS !inE; case: eqP => // ->.
Qed.

Lemma order_last S l : S != set0 -> order_of S l ->
  exists j l', [/\ j \in S, order_of (S :\ j) l' & l = rcons l' j].
Proof.
move=> S0; case/lastP: l => [[_ lS]|l j [lU lS]].
  by have [x] := set0Pn _ S0; rewrite -lS.
have jS : j \in S by rewrite -lS mem_rcons inE eqxx.
exists j, l; split=> //; move: lU; rewrite rcons_uniq => /andP[jl lU]; split=> // x.
rewrite !inE -lS mem_rcons inE; case: eqP => [->|//]; exact: negbTE.
Qed.

Lemma cost_last S l j : order_of (S :\ j) l ->
  cost set0 v0 (rcons l j) = add (cost set0 v0 l) (price (S :\ j) j).
Proof.
move=> [_ lS]; rewrite cost_rcons; congr (add _ (price _ _)).
by apply/setP=> x; rewrite in_setU in_set0 /= -lS inE.
Qed.

(* The programme ends with the least cost over all orders. *)
(** Claims: hou.thm6. *)
Theorem hou_theorem_6 S :
  (forall l, order_of S l -> programme S <= cost set0 v0 l) /\
  (exists l, order_of S l /\ cost set0 v0 l = programme S).
Proof.
rewrite /programme; move kE : #|S| => k; elim: k S kE => [|k IH] S kE.
  have S0 : S = set0 by apply/eqP; rewrite -cards_eq0 kE.
  split=> [l [lU lS]|]; last by exists [::]; split=> //; split=> // x; rewrite S0 inE.
  by case: l lU lS => // j l _ /(_ j); rewrite S0 !inE eqxx.
have S0 : S != set0 by rewrite -cards_eq0 kE.
rewrite /=; case: pickP => [j0 j0S|none]; last by have [x] := set0Pn _ S0; rewrite none.
case: arg_minnP => // j jS least.
have card1 i : i \in S -> #|S :\ i| = k.
  by move=> iS; move: kE; rewrite (cardsD1 i) iS => -[].
split=> [l /(order_last S0)[i [l' [iS l'S ->]]]|].
  apply: leq_trans (least i iS) _; rewrite (cost_last l'S); apply: add_mono.
  exact: (IH _ (card1 i iS)).1.
have [_ [l [lS lE]]] := IH _ (card1 j jS).
by exists (rcons l j); split; [exact: order_rcons | rewrite (cost_last lS) lE].
Qed.

(* As printed: for some last bit, any best order of the others will do. *)
(** Claims: hou.thm6.restricted. *)
Theorem hou_theorem_6_last S : S != set0 -> exists2 j, j \in S &
  forall l, order_of (S :\ j) l ->
  (forall l', order_of (S :\ j) l' -> cost set0 v0 l <= cost set0 v0 l') ->
  forall l', order_of S l' -> cost set0 v0 (rcons l j) <= cost set0 v0 l'.
Proof.
move=> S0; have [low [best_l [best_S best_E]]] := hou_theorem_6 S.
have [j [l0 [jS l0S lE]]] := order_last S0 best_S; exists j => // l lS best l' l'S.
apply: leq_trans (low l' l'S); rewrite -best_E lE (cost_last lS) (cost_last l0S).
exact/add_mono/best.
Qed.

End Programme.

(** ** Any traffic *)

Section Traffic.

Variables (n : nat) (M : finType) (src dst : M -> vec n) (volume : M -> nat) (Z : bits n).

(* The volume on the busiest channel of dimension j, after S. *)
Definition volume_load S j := \max_(u : vec n) \sum_(m in carried src dst Z S j u) volume m.

(* The subset programme is exact for any messages with any volumes. *)
(** Claims: lattice.traffic.programme. *)
Theorem traffic_programme S :
  let best := programme volume_load maxn 0 S in
  (forall l, order_of S l -> best <= cost volume_load maxn set0 0 l) /\
  (exists l, order_of S l /\ cost volume_load maxn set0 0 l = best).
Proof. exact: hou_theorem_6 maxn_mono _. Qed.

(** Claims: lattice.traffic.programme. *)
Theorem traffic_programme_sum S :
  let best := programme volume_load addn 0 S in
  (forall l, order_of S l -> best <= cost volume_load addn set0 0 l) /\
  (exists l, order_of S l /\ cost volume_load addn set0 0 l = best).
Proof. exact: hou_theorem_6 addn_mono _. Qed.

End Traffic.

(** ** Sets of communications *)

Section Sets.

(* m communications, each a gather or a scatter. *)
Variables (n m : nat) (A : 'I_m -> 'M['F_2]_n) (b : 'I_m -> vec n) (scatters : pred 'I_m).

Definition load_of r S j := if scatters r
  then scatter_load (A r) (b r) set0 S j else gather_load (A r) (b r) set0 S j.

Definition max_load S j := \max_(r < m) load_of r S j.
Definition sum_load S j := \sum_(r < m) load_of r S j.

(** Claims: hou.thm6. *)
Theorem sets_programme_max_max S :
  (forall l, order_of S l -> programme max_load maxn 0 S <= cost max_load maxn set0 0 l) /\
  (exists l, order_of S l /\ cost max_load maxn set0 0 l = programme max_load maxn 0 S).
Proof. exact: hou_theorem_6 maxn_mono S. Qed.

(** Claims: hou.thm6. *)
Theorem sets_programme_max_sum S :
  (forall l, order_of S l -> programme sum_load maxn 0 S <= cost sum_load maxn set0 0 l) /\
  (exists l, order_of S l /\ cost sum_load maxn set0 0 l = programme sum_load maxn 0 S).
Proof. exact: hou_theorem_6 maxn_mono S. Qed.

(** Claims: hou.thm6. *)
Theorem sets_programme_sum_sum S :
  (forall l, order_of S l -> programme sum_load addn 0 S <= cost sum_load addn set0 0 l) /\
  (exists l, order_of S l /\ cost sum_load addn set0 0 l = programme sum_load addn 0 S).
Proof. exact: hou_theorem_6 addn_mono S. Qed.

End Sets.
