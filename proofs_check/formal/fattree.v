(* Fat trees: loads of y = A x + b, and shifts.

   A switch of level l of a binary tree has 2^l hosts below it. A message from x to y goes up until
   y is below. Going up, its channel above the switches of level l is named by the high bits of x
   and the low l bits of y where routes go by destination, of x where they go by source; going down,
   by the high bits of y and these low bits. So a channel is a place p_T of the bit-correction
   lattice: with S the low bits, T = S and T = all bits up and down by destination, T = none and
   T = all but S by source. The messages that turn below agree in all bits outside S.

   Messages at one place are a coset of ker A T T; those of them that turned are none, or a coset of
   the vectors of this kernel for which A d and d agree outside S. Either every place that holds
   messages has some that turned, or one has none, and carries all. Counting both, the first is so
   just when rank [I + A | b] outside S is the difference of the two dimensions.

   climbs S m == source and destination of m differ in a bit outside S
   tree_link T S u == the messages at u after the bits in T that climb beyond S: on one channel
   tree_load T S == the largest number of messages on such a channel
   tree_gather A b T S == this load where x sends to A x + b
   tree_scatter A b T S == this load where A x + b sends to x
   turning A b S == the rows outside S of [I + A | b] *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.
From lcc Require Import kernel lattice reordering exchanges hl.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** Channels of a tree *)

Section Links.

Variables (n : nat) (M : finType) (src dst : M -> vec n).
Implicit Types (S T : bits n) (u : vec n) (m : M).

Definition climbs S m := [exists i in ~: S, src m i 0 != dst m i 0].

Definition tree_link T S u := [set m in held src dst set0 T u | climbs S m].

Definition tree_load T S := \max_(u : vec n) #|tree_link T S u|.

End Links.

Local Open Scope nat_scope.

(* Fibres of one size. *)
Lemma card_fibres (X Y : finType) (f : X -> Y) (E : {set X}) N :
  (forall x, x \in E -> #|[set y in E | f y == f x]| = N) -> #|E| = (#|f @: E| * N)%N.
Proof.
move=> fN; rewrite -sum1_card (partition_big_imset f) /= -sum_nat_const.
apply: eq_bigr => _ /imsetP[x xE ->]; rewrite -(fN x xE) -sum1_card.
by apply: eq_bigl => y; rewrite inE.
Qed.

Lemma counts_rank n r d t k k' : r <= n.+1 -> d * k <= 2 ^ n * k' -> 0 < k -> 0 < k' ->
  t = 0 /\ 2 ^ (n.+1 - r) = d \/ t = d /\ 2 ^ (n.+1 - r) = 2 * t ->
  (t * k == 2 ^ n * k') = (2 ^ r * k' == k).
Proof.
move=> rn few k0 k'0 [[-> dE]|[_ tE]].
  rewrite mul0n eq_sym muln_eq0 expn_eq0 /= eqn0Ngt k'0; apply/esym/eqP=> kE.
  move: few; rewrite -dE -kE mulnA -expnD subnK // expnS -mulnA.
  have pos : 0 < 2 ^ n * k' by rewrite muln_gt0 expn_gt0 k'0.
  by move: (2 ^ n * k') pos => P; lia.
have rn' : r <= n.
  by rewrite -ltnS ltn_neqAle rn andbT; apply/eqP=> rE; move: tE; rewrite rE subnn; lia.
have -> : t = 2 ^ (n - r) by move: tE; rewrite subSn // expnS; lia.
by rewrite -{2}(subnK rn') expnD -mulnA eqn_pmul2l ?expn_gt0 // eq_sym.
Qed.

Lemma at_most_one s r (t : nat) : r <= s ->
  (2 ^ (s - r) - (t == s - r) <= 1) = (r == s) || (r.+1 == s) && (t == 1).
Proof.
have ne d : (r == r + d.+1) = false by rewrite -{1}[r]addn0 eqn_add2l.
move=> /subnKC <-; rewrite addKn; case: (s - r) => [|[|k]].
- by rewrite addn0 eqxx leq_subLR leq_addl.
- by rewrite ne addn1 eqxx /=; case: (t == 1).
rewrite ne [r + k.+2]addnS eqSS ne /=.
have big : 3 < 2 ^ k.+2 by rewrite -[4]/(2 ^ 2) leq_exp2l.
apply/negbTE; rewrite -ltnNge ltn_subRL (leq_ltn_trans _ big) //.
by case: (t == _).
Qed.

Local Open Scope ring_scope.

Section Affine.

Variables (n : nat) (A : 'M['F_2]_n).
Implicit Types (S T : bits n) (b u x y d : vec n).

Definition tree_gather b := tree_load (M := [finType of vec n]) id (image A b).
Definition tree_scatter b := tree_load (M := [finType of vec n]) (image A b) id.

Definition turning b S := minor (row_mx (1%:M + A) b) (~: S) setT.

Section Channel.

Variables (b : vec n) (S T : bits n).

Local Notation at_ := (place id (image A b) T).
Local Notation K := (ker A T T).
Local Notation K' := (ker A T T :&: ker (1%:M + A) (~: S) setT).

Definition turned := [set x : vec n | ~~ climbs id (image A b) S x].

Lemma heldE x u : (x \in held id (image A b) set0 T u) = (at_ x == u).
Proof.
rewrite inE; apply/same_routerP/eqP=> [same|<- //]; apply/matrixP=> i k.
by rewrite (ord1 k); apply: same; rewrite inE.
Qed.

Lemma at_all x : #|[set y in setT | at_ y == at_ x]| = #|K|.
Proof.
have xx : x \in held id (image A b) set0 T (at_ x) by rewrite heldE.
rewrite -[T in ker A T]setD0 -[T in ker A _ T]setU0 -(gather_held xx).
by apply: eq_card => y; rewrite heldE !inE.
Qed.

Lemma turnedP x : reflect (forall i, i \notin S -> x i 0 = (A *m x) i 0 + b i 0) (x \in turned).
Proof.
rewrite inE negb_exists; apply: (iffP forallP) => turn i.
  by move=> iS; have := turn i; rewrite inE iS negbK image_bit => /eqP.
by rewrite negb_and negbK inE -implybE; apply/implyP=> /turn; rewrite image_bit => /eqP.
Qed.

Lemma kernel_turn d i : ((1%:M + A) *m d) i 0 = d i 0 + (A *m d) i 0.
Proof. by rewrite mulmxDl mul1mx mxE. Qed.

Lemma turned_coset x d : x \in turned ->
  (d + x \in turned) = (d \in ker (1%:M + A) (~: S) setT).
Proof.
move=> /turnedP turn; apply/turnedP/kerP=> [turn'|[_ zero] i iS].
  split=> i; rewrite inE // => iS; have := turn' i iS; rewrite row_additive mxE turn //.
  rewrite -addrA => /eqP; rewrite (inj_eq (addIr _)) => /eqP same.
  by rewrite kernel_turn same f2_addxx.
have := zero i; rewrite inE => /(_ iS)/eqP; rewrite kernel_turn f2_add_eq0 => /eqP same.
by rewrite row_additive mxE turn // same addrA.
Qed.

Lemma at_turned x : x \in turned -> #|[set y in turned | at_ y == at_ x]| = #|K'|.
Proof.
move=> xt; apply: (@card_coset _ _ _ x) => d; rewrite inE turned_coset // in_setI andbC.
have xx : x \in held id (image A b) set0 T (at_ x) by rewrite heldE.
have := gather_place_ker A set0 T d; rewrite setD0 setU0 => <-; congr (_ && _).
have <- := same_router_diff (place id (mulmx A) T d) (_ : same_router set0 (at_ x) (at_ x)).
  by rewrite -gather_place_diff -heldE inE.
exact: same_router_refl.
Qed.

Lemma turned_gt0 : (0 < #|K'|)%N.
Proof. by apply/card_gt0P; exists 0; rewrite in_setI !ker0. Qed.

Definition all_turn := at_ @: turned == at_ @: setT.

Lemma turned_count : all_turn = (#|turned| * #|K| == 2 ^ n * #|K'|)%N.
Proof.
have all_of : #|[set: vec n]| = (#|at_ @: setT| * #|K|)%N.
  by apply: card_fibres => x _; apply: at_all.
have some_of : #|turned| = (#|at_ @: turned| * #|K'|)%N by apply: card_fibres => x /at_turned.
have -> : (2 ^ n = #|[set: vec n]|)%N by rewrite cardsT card_matrix card_F2 muln1.
rewrite all_of some_of mulnAC [RHS]eqn_pmul2r ?turned_gt0 // [RHS]eqn_pmul2r ?card_ker_gt0 //.
rewrite /all_turn eqEcard imsetS ?subsetT //=; apply/idP/eqP=> [le|-> //].
by apply/eqP; rewrite eqn_leq le andbT subset_leq_card // imsetS ?subsetT.
Qed.

Lemma turned_few : (#|turned| * #|K| <= 2 ^ n * #|K'|)%N.
Proof.
have all_of : #|[set: vec n]| = (#|at_ @: setT| * #|K|)%N.
  by apply: card_fibres => x _; apply: at_all.
have some_of : #|turned| = (#|at_ @: turned| * #|K'|)%N by apply: card_fibres => x /at_turned.
have -> : (2 ^ n = #|[set: vec n]|)%N by rewrite cardsT card_matrix card_F2 muln1.
rewrite all_of some_of mulnAC; do 2![apply: leq_mul => //].
by apply/subset_leq_card/imsetS/subsetT.
Qed.

(* The load of the channel, by counts of messages. *)
Lemma tree_load_count : tree_gather b T S = (#|K| - all_turn * #|K'|)%N.
Proof.
have split u : #|held id (image A b) set0 T u|
    = (#|tree_link id (image A b) T S u| + #|[set y in turned | at_ y == u]|)%N.
  rewrite -(cardsID [set m | climbs id (image A b) S m]); congr (_ + _)%N; apply: eq_card => y.
    by rewrite !inE.
  by rewrite in_setD inE [RHS]inE [_ \in turned]inE heldE.
have held_at x : #|held id (image A b) set0 T (at_ x)| = #|K|.
  by rewrite -(at_all x); apply: eq_card => y; rewrite heldE !inE.
have link_at x : at_ x \in at_ @: turned ->
    #|tree_link id (image A b) T S (at_ x)| = (#|K| - #|K'|)%N.
  by case/imsetP=> y yt xy; rewrite xy -(held_at y) split at_turned // addnK.
have link_off x : at_ x \notin at_ @: turned ->
    #|tree_link id (image A b) T S (at_ x)| = #|K|.
  move=> off; rewrite -(held_at x) split [X in (_ + X)%N]eq_card0 ?addn0 // => y.
  rewrite inE; apply/negP=> /andP[yt /eqP yx]; case/negP: off; rewrite -yx.
  exact: imset_f.
apply/eqP; rewrite eqn_leq; apply/andP; split.
  apply/bigmax_leqP=> u _; have [u_in|off] := boolP (u \in at_ @: setT); last first.
    rewrite (@leq_trans 0%N) // leqn0 cards_eq0 -subset0; apply/subsetP=> y.
    rewrite inE heldE => /andP[/eqP yu _]; case/negP: off; rewrite -yu.
    by apply: imset_f; rewrite inE.
  case/imsetP: u_in => x _ ->; have [x_in|off] := boolP (at_ x \in at_ @: turned).
    by rewrite link_at // leq_sub2l //; case: all_turn; rewrite ?mul1n ?mul0n.
  suff -> : all_turn = false by rewrite mul0n subn0 link_off.
  apply/negP=> /eqP same; case/negP: off; rewrite same; apply: imset_f; exact: in_setT.
have [all_|] := boolP all_turn.
  have at0 : at_ 0 \in at_ @: turned by rewrite (eqP all_); apply: imset_f; rewrite in_setT.
  by rewrite mul1n -(link_at 0) //; apply: leq_bigmax.
rewrite /all_turn eqEsubset imsetS ?subsetT //= => /subsetPn[_ /imsetP[x _ ->] off].
by rewrite mul0n subn0 -(link_off x) //; apply: leq_bigmax.
Qed.

(** ** Counts as ranks *)

Let last_ : 'I_(n + 1) := rshift n 0.
Let one : 'cV['F_2]_1 := const_mx 1.

Lemma extended_row (x : vec n) (z : 'cV_1) i : (row_mx (1%:M + A) b *m col_mx x z) i 0
  = x i 0 + (A *m x) i 0 + b i 0 * z 0 0.
Proof. by rewrite mul_row_col mxE kernel_turn [(b *m z) i 0]mxE big_ord1. Qed.

Lemma without_b : #|[set z in ker (row_mx (1%:M + A) b) (~: S) setT | z last_ 0 == 0]|
  = #|ker (1%:M + A) (~: S) setT|.
Proof.
have z00 : (0 : 'cV['F_2]_1) 0 0 = 0 by rewrite mxE.
rewrite -(@card_imset _ _ (fun x => col_mx x (0 : 'cV_1))); last first.
  by move=> x y /eq_col_mx[].
apply: eq_card => z; rewrite inE; apply/andP/imsetP=> [[/kerP[_ zR] z0]|[x /kerP[_ xR] ->]].
  have zE : z = col_mx (usubmx z) 0.
    rewrite -{1}[z]vsubmxK; congr col_mx; apply/matrixP=> i j.
    by rewrite (ord1 i) (ord1 j) !mxE; apply/eqP.
  exists (usubmx z) => //; apply/kerP; split=> [i|i iS]; first by rewrite inE.
  by have := zR i iS; rewrite {1}zE extended_row z00 mulr0 addr0 kernel_turn.
split; last by rewrite col_mxEd mxE.
apply/kerP; split=> [i|i iS]; first by rewrite inE.
by rewrite extended_row z00 mulr0 addr0 -kernel_turn xR.
Qed.

(* The solutions of [I + A | b] (d, 1) = 0 outside S are the messages that turn. *)
Lemma with_b x : (col_mx x one \in ker (row_mx (1%:M + A) b) (~: S) setT) = (x \in turned).
Proof.
have o00 : one 0 0 = 1 by rewrite mxE.
apply/kerP/turnedP=> [[_ zero] i iS|turn].
  have := zero i; rewrite inE extended_row o00 mulr1 => /(_ iS)/eqP.
  by rewrite -addrA f2_add_eq0 => /eqP.
split=> i; rewrite inE // => iS; rewrite extended_row o00 mulr1 (turn i iS).
by rewrite -addrA f2_addxx.
Qed.

Lemma turning_solutions :
  (#|turned| = 0 /\ #|ker (row_mx (1%:M + A) b) (~: S) setT|
                   = #|ker (1%:M + A) (~: S) setT|)%N
  \/ (#|turned| = #|ker (1%:M + A) (~: S) setT| /\
      #|ker (row_mx (1%:M + A) b) (~: S) setT| = 2 * #|turned|)%N.
Proof.
have [t0|[x xt]] := set_0Vmem turned; [left|right].
  split; first by rewrite t0 cards0.
  rewrite -without_b; apply: eq_card => z; rewrite [RHS]inE.
  have [z0|z1] := eqVneq (z last_ 0) 0; rewrite ?andbT // andbF.
  apply/negbTE/negP; have -> : z = col_mx (usubmx z) one.
    rewrite -{1}[z]vsubmxK; congr col_mx; apply/matrixP=> i j.
    by rewrite (ord1 i) (ord1 j) !mxE; apply/eqP; rewrite -f2_neq0.
  by rewrite with_b t0 inE.
have turnedE : #|turned| = #|ker (1%:M + A) (~: S) setT|.
  by apply: (@card_coset _ _ _ x) => d; apply: turned_coset.
split=> //; rewrite turnedE -without_b.
apply: (@card_halve _ _ (fun z => z last_ 0) _ _ (col_mx x one)).
- exact: ker_subspace.
- by move=> y z; rewrite mxE.
- by rewrite with_b.
by rewrite col_mxEd mxE.
Qed.

End Channel.

Lemma card_turned0 S : #|turned 0 S| = #|ker (1%:M + A) (~: S) setT|.
Proof.
have zero : 0 \in turned 0 S by apply/turnedP=> i _; rewrite mulmx0 !mxE addr0.
by apply: (@card_coset _ _ _ 0) => d; apply: turned_coset.
Qed.

Lemma turning_le b S : (\rank (turning b S) <= n.+1)%N.
Proof. by apply: leq_trans (rank_leq_col _) _; rewrite cardsT card_ord addn1. Qed.

Lemma turning_kernel b S :
  #|ker (row_mx (1%:M + A) b) (~: S) setT| = (2 ^ (n.+1 - \rank (turning b S)))%N.
Proof. by rewrite card_ker; congr (2 ^ (_ - _))%N; rewrite cardsT card_ord addn1. Qed.

Lemma turned_sum b S : (#|turned b S| + #|turned 0 S| = 2 ^ (n.+1 - \rank (turning b S)))%N.
Proof.
rewrite -turning_kernel card_turned0; have [[-> ->] //|[<- ->]] := turning_solutions b S.
by rewrite mul2n addnn.
Qed.

(* Every channel that is used has messages that turn, just when the rank is this. *)
Lemma all_turn_rank b S T : all_turn b S T
  = (2 ^ \rank (turning b S) * #|ker A T T :&: ker (1%:M + A) (~: S) setT|
     == #|ker A T T|)%N.
Proof.
have few := turned_few 0 S T; rewrite card_turned0 in few.
rewrite turned_count; apply: (counts_rank (turning_le b S) few).
- exact: card_ker_gt0.
- exact: turned_gt0.
by rewrite -turning_kernel; apply: turning_solutions.
Qed.

Lemma tree_load_ranks b S T a a' : #|ker A T T| = (2 ^ a)%N ->
  #|ker A T T :&: ker (1%:M + A) (~: S) setT| = (2 ^ a')%N ->
  tree_gather b T S = (2 ^ a - (\rank (turning b S) == a - a') * 2 ^ a')%N.
Proof.
move=> aE aE'; rewrite tree_load_count all_turn_rank aE aE'; congr (_ - nat_of_bool _ * _)%N.
have : (a' <= a)%N by rewrite -(@leq_exp2l 2) // -aE -aE' subset_leq_card // subsetIl.
by rewrite -expnD eqn_exp2l // => le_a; apply/eqP/eqP; lia.
Qed.

(** ** The theorems *)

Lemma both_kernels S T : (T == S) || (T == setT) ->
  #|ker A T T :&: ker (1%:M + A) (~: S) setT| = (2 ^ (#|S| - \rank (minor A setT S)))%N.
Proof.
move=> TS; rewrite -card_ker; apply: eq_card => d; rewrite in_setI; apply/andP/kerP.
  case=> /kerP[dT rT] /kerP[_ turn]; have {}turn i : i \notin S -> d i 0 = (A *m d) i 0.
    move=> iS; have := turn i; rewrite inE => /(_ iS)/eqP.
    by rewrite kernel_turn f2_add_eq0 => /eqP.
  have off i : i \notin S -> d i 0 = 0.
    by case/orP: TS => /eqP TE iS; [apply: dT; rewrite TE|rewrite turn // rT // TE inE].
  split=> // i _; have [iS|iS] := boolP (i \in S); last by rewrite -turn ?off.
  by apply: rT; case/orP: TS => /eqP ->; rewrite ?inE.
case=> off rows; split; apply/kerP; split=> i; rewrite ?inE // => iS.
- by apply: off; case/orP: TS iS => /eqP ->; rewrite ?inE.
- exact: rows.
by rewrite kernel_turn off ?rows ?addr0.
Qed.

Lemma no_kernel S T : (T == set0) || (T == ~: S) ->
  #|ker A T T :&: ker (1%:M + A) (~: S) setT| = (2 ^ 0)%N.
Proof.
move=> TS; rewrite expn0 -[RHS](cards1 (0 : vec n)); apply: eq_card => d; rewrite in_setI [RHS]inE.
apply/andP/eqP=> [[/kerP[dT rT] /kerP[_ turn]]|->]; last by rewrite !ker0.
apply/matrixP=> i j; rewrite (ord1 j) [RHS]mxE; have [iT|/dT//] := boolP (i \in T).
have iS : i \in ~: S by case/orP: TS iT => /eqP ->; rewrite ?inE.
by have := turn i iS; rewrite kernel_turn rT // addr0.
Qed.

(* Routed by destination, going up and down. *)
(** Claims: lattice.fattree.load. *)
Theorem fat_tree_up b S : tree_gather b S S
  = (2 ^ (#|S| - \rank (minor A S S))
     - (\rank (turning b S) == \rank (minor A setT S) - \rank (minor A S S))
       * 2 ^ (#|S| - \rank (minor A setT S)))%N.
Proof.
rewrite (tree_load_ranks b (card_ker A S S) (both_kernels _)) ?eqxx //.
have := rank_leq_col (minor A S S); have := rank_leq_col (minor A setT S).
move: (\rank _) (\rank (minor A S S)) => r r' le le'.
by congr (_ - nat_of_bool (_ == _) * _)%N; lia.
Qed.

(** Claims: lattice.fattree.load. *)
Theorem fat_tree_down b S : tree_gather b setT S
  = (2 ^ (n - \rank A)
     - (\rank (turning b S) == n - \rank A - (#|S| - \rank (minor A setT S)))
       * 2 ^ (#|S| - \rank (minor A setT S)))%N.
Proof. by rewrite (tree_load_ranks b (card_ker_full A) (both_kernels _)) ?eqxx ?orbT. Qed.

(* Routed by source. *)
(** Claims: lattice.fattree.load. *)
Theorem fat_tree_source_up b S : tree_gather b set0 S = (\rank (turning b S) != 0)%N.
Proof.
rewrite (tree_load_ranks (a := 0) b _ (no_kernel _)) ?eqxx //.
  by rewrite muln1; case: eqP.
apply/eqP; rewrite card_ker1; apply/subsetP=> d /kerP[d0 _]; rewrite inE; apply/eqP/matrixP=> i j.
by rewrite (ord1 j) d0 ?inE // mxE.
Qed.

(** Claims: lattice.fattree.load. *)
Theorem fat_tree_source_down b S : tree_gather b (~: S) S
  = (2 ^ (#|~: S| - \rank (minor A (~: S) (~: S)))
     - (\rank (turning b S) == #|~: S| - \rank (minor A (~: S) (~: S))))%N.
Proof.
by rewrite (tree_load_ranks b (card_ker A _ _) (no_kernel _)) ?eqxx ?orbT // subn0 muln1.
Qed.

(* A scatter routed by destination takes the paths of its gather by source, the other way. *)
(** Claims: lattice.fattree.load. *)
Theorem fat_tree_scatter b T S : tree_scatter b T S = tree_gather b (~: T) S.
Proof.
apply: eq_bigr => u _; apply: eq_card => x; rewrite !inE; congr (_ && _).
  apply: eq_forallb => i; congr (_ ==> (_ == _)); rewrite !mxE inE; by case: (i \in T).
by apply: eq_existsb => i; rewrite eq_sym.
Qed.

(* For which nonsingular A no channel has two messages. *)
(** Claims: lattice.fattree.free. *)
Theorem fat_tree_free b S : A \in unitmx ->
  (tree_gather b setT S <= 1)%N /\
  (tree_gather b S S <= 1)%N = (\rank (minor A S S) == #|S|)
    || ((\rank (minor A S S)).+1 == #|S|) && (\rank (turning b S) == 1%N).
Proof.
move=> AU; have full : \rank A = n by rewrite mxrank_unit.
have rS : \rank (minor A setT S) = #|S|.
  have := card_ker A setT S; have -> : #|ker A setT S| = 1%N.
    apply/eqP; rewrite card_ker1; apply: subset_trans (ker_sub A (subxx _) (subsetT S)) _.
    by rewrite -card_ker1 card_ker_full full subnn.
  move/esym/eqP; rewrite -[X in _ == X](expn0 2) eqn_exp2l // subn_eq0 => le.
  by apply/eqP; rewrite eqn_leq le rank_leq_col.
split; first by rewrite fat_tree_down full subnn leq_subLR leq_addl.
rewrite fat_tree_up rS subnn expn0 muln1; have := rank_leq_col (minor A S S).
exact: at_most_one.
Qed.

(* Algorithm HL's order of the bits has two at most. *)
(** Claims: lattice.fattree.least (that two are enough). *)
Theorem fat_tree_least b : A \in unitmx -> exists s : 'S_n, forall k : 'I_n,
  (tree_gather b (prefix s k) (prefix s k) <= 2)%N /\ (tree_gather b setT (prefix s k) <= 1)%N.
Proof.
move=> AU; have [s hl] := hl_order_exists b AU; exists s => k.
split; last by have [] := fat_tree_free b (prefix s k) AU.
have [_] := hl_free k hl; rewrite occupancy_ker tree_load_count.
by apply: leq_trans; apply: leq_subr.
Qed.

End Affine.

(** ** Shifts *)

Local Open Scope nat_scope.

Lemma same_number K x x' : x %/ K = x' %/ K -> x %% K = x' %% K -> x = x'.
Proof. by move=> high low; rewrite (divn_eq x K) high low -divn_eq. Qed.

(* On each channel, up and down, by destination and by source, there is one message at most. *)
(** Claims: lattice.fattree.shift. *)
Theorem fat_tree_shift k n s l x x' : 0 < k -> l <= n -> x < k ^ n -> x' < k ^ n ->
  let y u := (u + s) %% k ^ n in
  [/\ (x %/ k ^ l, y x %% k ^ l) = (x' %/ k ^ l, y x' %% k ^ l) -> x = x',
      (y x %/ k ^ l, y x %% k ^ l) = (y x' %/ k ^ l, y x' %% k ^ l) -> x = x',
      (x %/ k ^ l, x %% k ^ l) = (x' %/ k ^ l, x' %% k ^ l) -> x = x'
    & (y x %/ k ^ l, x %% k ^ l) = (y x' %/ k ^ l, x' %% k ^ l) -> x = x'].
Proof.
move=> k0 ln xn x'n y; have div : k ^ l %| k ^ n by rewrite dvdn_exp2l.
have low u : y u %% k ^ l = (u + s) %% k ^ l by rewrite modn_dvdm.
have inj : y x = y x' -> x = x'.
  by move/eqP; rewrite eqn_modDr !modn_small // => /eqP.
split=> -[high same]; last 1 first.
- apply/inj/(same_number high); rewrite !low; apply/eqP; rewrite eqn_modDr; exact/eqP.
- by apply: (same_number high); move/eqP: same; rewrite !low eqn_modDr => /eqP.
- exact/inj/(same_number high).
exact: (same_number high).
Qed.
