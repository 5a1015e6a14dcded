(* Boppana and Raghavendra: Algorithm HL takes the first of all orders that are free of contention
   whatever b is.

   A processor holds the destinations, or tags, of the messages that stand there. Where every
   processor holds one (state A) HL corrects the least bit not used;
     where two share one (state B) it
   corrects the least bit in which their tags differ. Let A be nonsingular and ker A S S hold two
   vectors at most. In state B it is {0, v}: two messages in one processor differ by v, their tags
     by
   Av, which is not 0, but 0 in S. So HL takes the least bit outside S that leaves 0 alone in
   ker A (S + j) S, in state A too: the least bit that is free of contention whatever b is. Column
   j more, and the kernel holds two vectors at most again: the walk can always go on.

   least P j == j is the least that has P
   meet S x y == two messages x, y in one processor after the bits in S
   state_B S == some processor holds two messages
   hl_chooses S j == in state B the least bit in which the tags of any two that meet differ, else
      the least bit outside S
   hl_order s == every bit of the order s is what Algorithm HL chooses *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice reordering exchanges free.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section HL.

Variables (n : nat) (A : 'M['F_2]_n) (b : vec n).
Hypothesis AU : A \in unitmx.
Implicit Types (S : bits n) (j k : 'I_n) (x y : vec n) (s : 'S_n).

Definition least (P : 'I_n -> bool) j := P j /\ forall k, P k -> (j <= k)%N.

(* Two messages in one processor after the bits in S. *)
Definition meet S x y := (x != y) && (place id (image A b) S x == place id (image A b) S y).

Definition state_B S := [exists x : vec n, exists y : vec n, meet S x y].

(* Algorithm HL corrects bit j next, in state B in whatever processor it looks. *)
Definition hl_chooses S j := if state_B S
  then forall x y, meet S x y -> least (fun k => image A b x k 0 != image A b y k 0) j
  else least (fun k => k \notin S) j.

Definition hl_order s := forall k, hl_chooses (prefix s k) (s k).

Definition free_bit S j := (j \notin S) && (#|ker A (j |: S) S| == 1%N).

Lemma meet_ker S x y : meet S x y = (x + y \in ker A S S) && (x + y != 0).
Proof.
have -> : (x + y != 0) = (x != y) by rewrite -(inj_eq (addIr y)) vec_addK add0r.
rewrite andbC /meet; congr (_ && _).
have -> : ker A S S = ker A (S :\: set0) (S :|: set0) by rewrite setD0 setU0.
have := gather_place_diff A b S (x + y) y; rewrite vec_addK => ->.
rewrite -gather_place_ker -[X in _ == X]add0r (inj_eq (addIr _)).
apply/eqP/forallP=> [-> i|zero]; first by rewrite mxE eqxx implybT.
apply/matrixP=> i z; rewrite (ord1 z) [RHS]mxE; have := zero i; rewrite inE => /eqP //.
Qed.

Lemma tags_differ x y k : (image A b x k 0 != image A b y k 0) = ((A *m (x + y)) k 0 != 0).
Proof.
by rewrite -{1}(vec_addK x y) image_diff -[X in _ != X]add0r (inj_eq (addIr _)).
Qed.

Lemma kernel_of_two S : (#|ker A S S| <= 2)%N -> state_B S ->
  exists v, [/\ #|ker A S S| = 2%N, v \in ker A S S, v != 0
            & forall x y, meet S x y -> x + y = v].
Proof.
move=> le2 /existsP[x /existsP[y]]; rewrite meet_ker => /andP[vK v0]; exists (x + y).
have KE : ker A S S = [set 0; x + y].
  apply/eqP; rewrite eq_sym eqEcard cards2 eq_sym v0 le2 andbT.
  by apply/subsetP=> z; rewrite in_set2 => /orP[/eqP->|/eqP->] //; apply: ker0.
split=> // [|x' y']; first by rewrite KE cards2 eq_sym v0.
by rewrite meet_ker KE !inE => /andP[/orP[->|/eqP->]].
Qed.

Lemma kernel_of_one S : ~~ state_B S -> #|ker A S S| = 1%N.
Proof.
move=> noB; apply/eqP; rewrite card_ker1; apply/subsetP=> v vK; rewrite inE;
  apply: contraNT noB => v0.
by apply/existsP; exists v; apply/existsP; exists 0; rewrite meet_ker addr0 vK.
Qed.

Lemma one_row_more S k : ~~ state_B S -> #|ker A (k |: S) S| == 1%N.
Proof.
move=> /kernel_of_one one; rewrite eqn_leq card_ker_gt0 andbT.
by apply: leq_trans (leq_ker A (subsetUr [set k] S) (subxx S)) _; rewrite one.
Qed.

(* HL's rule takes the least bit that is free whatever b is. *)
Lemma hl_least S j : (#|ker A S S| <= 2)%N -> hl_chooses S j <-> least (free_bit S) j.
Proof.
move=> le2; rewrite /hl_chooses; have [isB|noB] := boolP (state_B S); last first.
  have same k : (k \notin S) = free_bit S k.
    by rewrite /free_bit one_row_more // andbT.
  split=> -[Pj low]; split=> [|k Pk].
  - by rewrite -same.
  - by apply: low; rewrite same.
  - by rewrite same.
  by apply: low; rewrite -same.
have [v [two vK v0 sum]] := kernel_of_two le2 isB.
have same k : free_bit S k = ((A *m v) k 0 != 0).
  rewrite /free_bit (ker_pair _ two vK v0); case: (boolP (k \in S)) => //= kS.
  by case/kerP: vK => _ ->; rewrite ?eqxx.
split=> [all_pairs|least_j x y xy].
  have /existsP[x /existsP[y xy]] := isB; have [Pj low] := all_pairs x y xy.
  rewrite tags_differ (sum x y xy) in Pj.
  by split=> [|k]; rewrite same // => Pk; apply: low; rewrite tags_differ (sum x y xy).
have [Pj low] := least_j; split=> [|k]; rewrite tags_differ (sum x y xy) -same //.
exact: low.
Qed.

Lemma free_exists S : (#|ker A S S| <= 2)%N -> S != setT -> exists j, free_bit S j.
Proof.
move=> le2 ST; have [isB|noB] := boolP (state_B S); last first.
  have /subsetPn[j _ jS] : ~~ (setT \subset S) by rewrite subTset.
  by exists j; rewrite /free_bit jS one_row_more.
have [v [two vK v0 _]] := kernel_of_two le2 isB.
have Av : A *m v != 0.
  by apply: contraNneq v0 => Av; rewrite -(mulKmx AU v) Av mulmx0.
have [j Avj] := vec_exists_bit Av; exists j.
rewrite /free_bit (ker_pair _ two vK v0) Avj andbT; apply: contra Avj => jS.
by case/kerP: vK => _ ->.
Qed.

Lemma least_exists (P : 'I_n -> bool) j : P j -> exists k, least P k.
Proof. by move=> Pj; case: (@arg_minnP _ j P val Pj) => k Pk low; exists k. Qed.

Lemma kernel_grows S j : free_bit S j -> (#|ker A (j |: S) (j |: S)| <= 2)%N.
Proof.
move=> /andP[jS /eqP one]; apply: leq_trans (card_ker_delcol_le _ _ _ j) _.
by rewrite setU1K // one.
Qed.

Lemma start_small : (#|ker A set0 set0| <= 2)%N.
Proof.
rewrite (_ : #|_| = 1%N) //; apply/eqP; rewrite card_ker1; apply/subsetP=> x /kerP[xC _].
by rewrite inE; apply/eqP/matrixP=> r z; rewrite (ord1 z) xC ?inE // mxE.
Qed.

(* HL never stops before the end. *)
(** Claims: lattice.hl, boppana.lem4.a. *)
Theorem hl_order_exists : exists s, hl_order s.
Proof.
apply: (@order_up _ hl_chooses (fun S => #|ker A S S| <= 2)%N start_small) => S ST le2.
have [j0 /least_exists[j jP]] := free_exists le2 ST; exists j; have [/andP[jS one] _] := jP.
by split=> //; [apply/(hl_least _ le2)|apply: kernel_grows; rewrite /free_bit jS].
Qed.

Lemma hl_small s k : hl_order s ->
  (#|ker A (prefix s k) (prefix s k)| <= 2)%N /\ least (free_bit (prefix s k)) (s k).
Proof.
move=> hl; suff small (t : nat) : (t <= n)%N -> (#|ker A (prefix s t) (prefix s t)| <= 2)%N.
  have le2 := small k (ltnW (ltn_ord k)); split=> //; exact: (hl_least (s k) le2).1 (hl k).
elim: t => [_|t IH lt_tn]; first by rewrite /prefix (_ : below n 0 = set0) ?imset0 ?start_small //;
  apply/setP=> x; rewrite !inE.
pose i := Ordinal lt_tn; have le2 : (#|ker A (prefix s i) (prefix s i)| <= 2)%N := IH (ltnW lt_tn).
have [free_i _] := (hl_least (s i) le2).1 (hl i).
by rewrite -(prefixS s i); apply: kernel_grows.
Qed.

(* Along HL's order a channel carries one message at most, and a node holds two at most. *)
(** Claims: lattice.hl, boppana.lem4.a. *)
Theorem hl_free s k : hl_order s ->
  (gather_load A b set0 (prefix s k) (s k) <= 1)%N
  /\ (gather_occupancy A b set0 (prefix s k) <= 2)%N.
Proof.
move=> hl; have [le2 [/andP[kS /eqP one] _]] := hl_small k hl.
by rewrite occupancy_ker gather_load0 // one; case: ifP.
Qed.

(* Its order is free of contention with every other b too. *)
(** Claims: lattice.hl.first.amended. *)
Theorem hl_free_always s c k : hl_order s ->
  (gather_load A c set0 (prefix s k) (s k) <= 1)%N.
Proof.
by move=> /(@hl_small s k)[_ [/andP[kS /eqP one] _]]; rewrite gather_load0 // one; case: ifP.
Qed.

(* It is the lexicographically first of the orders that are free of contention whatever b is. *)
(** Claims: lattice.hl.first.amended. *)
Theorem hl_first s s' : hl_order s ->
  (forall c k, gather_load A c set0 (prefix s' k) (s' k) <= 1)%N ->
  s' = s \/ exists k, (forall i : 'I_n, (i < k)%N -> s' i = s i) /\ (s k < s' k)%N.
Proof.
move=> hl free; have [->|ne] := eqVneq s' s; [by left|right].
have /existsP[k0 differ] : [exists k, s' k != s k].
  apply: contraNT ne => /existsPn same; apply/eqP/permP=> k; exact/eqP/negPn/same.
case: (@arg_minnP _ k0 (fun k => s' k != s k) val differ) => k skk low; exists k.
have before (i : 'I_n) : (i < k)%N -> s' i = s i.
  by move=> ik; apply/eqP; apply: contraTT ik => /low; rewrite -leqNgt.
split=> //; have [_ [_ first]] := hl_small k hl.
have prefixE : prefix s k = prefix s' k.
  by apply: eq_in_imset => i; rewrite inE => /before.
rewrite ltn_neqAle first ?andbT; first by rewrite eq_sym.
rewrite /free_bit prefixE prefix_notin eqn_leq card_ker_gt0 andbT /=.
have := free (\col__ 1) k; rewrite gather_load0 ?prefix_notin //.
by rewrite (_ : moves _ _ _) //; apply/existsP; exists 0;
  rewrite image_bit mulmx0 !mxE add0r eq_sym oner_eq0.
Qed.

End HL.
