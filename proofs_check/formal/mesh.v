(* Diaz de Cerio, Valero-Garcia, Gonzalez: the load of a task on a mesh (Theorems 3 and 4).

   A mesh of c axes holds 2^(c e) processes by the standard embedding. A line of axis a holds the
   processes that agree in all bits but those of a, and their coordinates are 0, ..., 2^e - 1, each
   once; changing bit a + l c is a step to the partner along dimension l of that line. So a line of
   axis i + j mod c carries what a line of its own carries for ceil((M - j) / c) dimensions from
   (i + j) div c on (Lemma 5), and Theorem 1 says how much that is.

   on_line a y x == x agrees with y in all bits but those of axis a
   mesh_up i M a y m == the messages along i, ..., i+M-1 that go up from coordinate m to m+1 on the
      line of axis a through y
   mesh_down i M a y m == those that go down from m+1 to m
   share k x k' y == the messages along k from x and along k' from y have their source, their
      destination or a link in one direction in common
   mesh_conflict_free i M s == no two messages of one step of s share any of these *)

From mathcomp Require Import all_ssreflect zify.
From lcc Require Import utility embedding line.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Numbers and their bits *)

Section Numbers.

Variable e : nat.
Implicit Types (f : {ffun 'I_e -> bool}) (l : 'I_e).

Definition num f := \sum_(l < e) f l * 2 ^ l.

Lemma num_split f l : exists hi lo, lo < 2 ^ l /\ forall b : bool,
  num [ffun k => if k == l then b else f k] = hi * 2 ^ l.+1 + (b * 2 ^ l + lo).
Proof.
exists ((\sum_(k < e | l < k) f k * 2 ^ k) %/ 2 ^ l.+1), (\sum_(k < e | k < l) f k * 2 ^ k).
split.
  apply: (@leq_ltn_trans (\sum_(k < e | k < l) 2 ^ k)).
    by apply: leq_sum => k _; case: (f k); rewrite ?mul1n.
  by rewrite (big_ord_narrow (ltnW (ltn_ord l))) sum_powers ltn_predL expn_gt0.
move=> b; rewrite divnK; last first.
  by apply: dvdn_sum => k lk; apply/dvdn_mull/dvdn_exp2l.
rewrite /num (bigID (fun k : 'I_e => l < k)) /=; congr (_ + _).
  by apply: eq_bigr => k lk; rewrite ffunE ifN // -val_eqE neq_ltn lk orbT.
rewrite (bigD1 l) ?ltnn //= ffunE eqxx; congr (_ + _).
rewrite (eq_bigl (fun k : 'I_e => k < l)) => [|k]; last first.
  by rewrite -leqNgt -val_eqE /= ltn_neqAle andbC.
by apply: eq_bigr => k kl; rewrite ffunE ifN // -val_eqE neq_ltn kl.
Qed.

Lemma with_own f l : [ffun k => if k == l then f l else f k] = f.
Proof. by apply/ffunP=> k; rewrite ffunE; case: eqP => [->|]. Qed.

Definition flip l f := [ffun k => if k == l then ~~ f l else f k].

Lemma num_odd f l : odd (num f %/ 2 ^ l) = f l.
Proof.
have [hi [lo [lt_lo fE]]] := num_split f l; rewrite -{1}[f](with_own f l) fE expnS mulnA.
rewrite addnA -mulnDl divnMDl ?expn_gt0 // divn_small // addn0 oddD oddM andbF /=.
by case: (f l).
Qed.

Lemma num_inj : injective num.
Proof. by move=> f f' same; apply/ffunP=> l; rewrite -!num_odd same. Qed.

Lemma num_lt f : num f < 2 ^ e.
Proof.
apply: (@leq_ltn_trans (\sum_(l < e) 2 ^ l)); last by rewrite sum_powers ltn_predL expn_gt0.
by apply: leq_sum => k _; case: (f k); rewrite ?mul1n.
Qed.

Lemma num_flip f l : num (flip l f) = partner l (num f).
Proof.
have [hi [lo [lt_lo fE]]] := num_split f l; rewrite /flip fE -{2}[f](with_own f l) fE /partner.
rewrite modnMDl modn_small; last first.
  by rewrite expnS; case: (f l); move: (2 ^ l) lt_lo => K; lia.
by case: (f l) => /=; rewrite ?mul1n ?mul0n ?add0n; move: (2 ^ l) (hi * _) lt_lo => K X lt_lo;
  [rewrite ifN; last lia|rewrite ifT //]; lia.
Qed.

Lemma count_num (P : pred nat) : #|[set f | P (num f)]| = count P (iota 0 (2 ^ e)).
Proof.
have perm : perm_eq (map num (enum [finType of {ffun 'I_e -> bool}])) (iota 0 (2 ^ e)).
  have nU : uniq (map num (enum [finType of {ffun 'I_e -> bool}])).
    by rewrite map_inj_uniq ?enum_uniq //; apply: num_inj.
  have sub : {subset map num (enum [finType of {ffun 'I_e -> bool}]) <= iota 0 (2 ^ e)}.
    by move=> p /mapP[f _ ->]; rewrite mem_iota num_lt.
  have all_of_them :
      size (iota 0 (2 ^ e)) <= size (map num (enum [finType of {ffun 'I_e -> bool}])).
    by rewrite size_iota size_map -cardE card_ffun card_bool card_ord.
  by apply: uniq_perm; rewrite ?iota_uniq //; case: (uniq_min_size nU sub all_of_them).
rewrite -(seq.permP perm P) count_map cardsE cardE -size_filter; congr size.
by rewrite enumT; apply: eq_filter => f.
Qed.

End Numbers.

(** ** A line of the mesh *)

Section Mesh.

Variables (c e : nat).
Hypothesis c0 : 0 < c.
Implicit Types (x y : {ffun 'I_(c * e) -> bool}) (k : 'I_(c * e)) (a m : nat).

Definition on_line a y x := [forall k : 'I_(c * e), (k %% c != a) ==> (x k == y k)].

Definition mesh_up i M a y m := \sum_(k < c * e | i <= k < i + M)
  #|[set x | on_line a y x && (coordinate c x a <= m < coordinate c (neighbour k x) a)]|.
Definition mesh_down i M a y m := \sum_(k < c * e | i <= k < i + M)
  #|[set x | on_line a y x && (coordinate c (neighbour k x) a <= m < coordinate c x a)]|.

Lemma level_lt k : k %/ c < e.
Proof. by rewrite ltn_divLR // [e * c]mulnC. Qed.

Definition level k : 'I_e := Ordinal (level_lt k).

Section Axis.

Variable a : nat.
Hypothesis ac : a < c.

Lemma place_lt (l : 'I_e) : a + l * c < c * e.
Proof. by have := blocks_apart c (ltn_ord l); rewrite mulnC; lia. Qed.

Definition place_of l : 'I_(c * e) := Ordinal (place_lt l).

Lemma place_level l : level (place_of l) = l.
Proof. by apply: val_inj; rewrite /= addnC divnMDl // divn_small // addn0. Qed.

Lemma place_axis l : place_of l %% c = a.
Proof. by rewrite /= addnC modnMDl modn_small. Qed.

Lemma level_place k : k %% c = a -> place_of (level k) = k.
Proof. by move=> ka; apply: val_inj; rewrite /= -ka addnC -divn_eq. Qed.

Definition bits_on x := [ffun l => x (place_of l)].

Lemma sum_axis (F : 'I_(c * e) -> nat) (P : pred 'I_(c * e)) :
  \sum_(k < c * e | P k && (k %% c == a)) F k = \sum_(l < e | P (place_of l)) F (place_of l).
Proof.
rewrite (reindex_onto place_of level) => [|k /andP[_ /eqP]]; last exact: level_place.
by apply: eq_bigl => l; rewrite place_level place_axis !eqxx !andbT.
Qed.

Lemma coordinate_num x : coordinate c x a = num (bits_on x).
Proof.
rewrite /coordinate (eq_bigl (fun k => true && (k %% c == a))) // sum_axis.
by apply: eq_bigr => l _; rewrite ffunE -[X in 2 ^ X]/(val (level (place_of l))) place_level.
Qed.

Lemma neighbour_num k x : k %% c = a ->
  coordinate c (neighbour k x) a = partner (k %/ c) (coordinate c x a).
Proof.
move=> ka; rewrite !coordinate_num -[k %/ c]/(val (level k)) -num_flip; congr num.
apply/ffunP=> l; rewrite !ffunE level_place // -(inj_eq val_inj) -[l == _](inj_eq val_inj) /=.
have -> : (a + l * c == k) = (val l == k %/ c).
  apply/eqP/eqP=> [<-|->]; first by rewrite addnC divnMDl // divn_small // addn0.
  by rewrite -ka addnC -divn_eq.
by case: eqP => // lk; congr (~~ x _); apply: val_inj; rewrite /= lk -ka addnC -divn_eq.
Qed.

Lemma line_card y (R : pred nat) :
  #|[set x | on_line a y x && R (coordinate c x a)]| = count R (iota 0 (2 ^ e)).
Proof.
rewrite -count_num; pose put (f : {ffun 'I_e -> bool}) : {ffun 'I_(c * e) -> bool} :=
  [ffun k : 'I_(c * e) => if k %% c == a then f (level k) else y k].
have putK f : bits_on (put f) = f.
  by apply/ffunP=> l; rewrite !ffunE place_axis eqxx place_level.
rewrite -(card_imset _ (can_inj putK)); apply: eq_card => x; rewrite inE; apply/andP/imsetP.
  move=> [/forallP line Rx]; exists (bits_on x); first by rewrite inE -coordinate_num.
  apply/ffunP=> k; rewrite !ffunE; case: eqP => [/level_place-> //|/eqP ka].
  by have := line k; rewrite ka => /eqP.
move=> [f]; rewrite inE => Rf ->; rewrite coordinate_num putK; split=> //.
by apply/forallP=> k; apply/implyP=> /negPf ka; rewrite ffunE ka.
Qed.

Lemma sum_levels (W : nat -> nat) f n : n = 0 \/ f + n <= e ->
  \sum_(l < e | f <= l < f + n) W l = \sum_(l <- iota f n) W l.
Proof.
case=> [->|fits]; first by rewrite big_nil big1 // => l; lia.
rewrite -(big_mkord (fun l => f <= l < f + n) W) /index_iota subn0.
have -> : iota 0 e = iota 0 f ++ iota f n ++ iota (f + n) (e - (f + n)).
  by rewrite -{2}[f]add0n -!iotaD addnA; congr iota; lia.
rewrite !big_cat /= big1_seq ?add0n; last by move=> l; rewrite mem_iota; lia.
rewrite [X in _ + X]big1_seq ?addn0; last by move=> l; rewrite mem_iota; lia.
by rewrite big_seq_cond [RHS]big_seq_cond; apply: eq_bigl => l; rewrite mem_iota; lia.
Qed.

End Axis.

(* The levels of axis (i + j) mod c in the task. *)
Lemma levels_of i M j (l : nat) : j < c ->
  (i <= (i + j) %% c + l * c < i + M)
  = ((i + j) %/ c <= l < (i + j) %/ c + (M - j + c.-1) %/ c).
Proof.
move=> jc; have := divn_eq (i + j) c; have := ltn_pmod (i + j) c0.
move: ((i + j) %% c) ((i + j) %/ c) => a f ac ijE.
have := divn_eq (M - j + c.-1) c; have := ltn_pmod (M - j + c.-1) c0.
move: ((M - j + c.-1) %% c) ((M - j + c.-1) %/ c) => s n sc ME.
have nc : n = 0 \/ c <= n * c by case: (n) => [|n']; [left|right; rewrite leq_pmull].
have [fl|lf] := leqP f l; last first.
  by have := blocks_apart c lf; move: (l * c) (f * c) ijE => L F ijE; lia.
have fcl := leq_mul fl (leqnn c); have [lfn|fnl] := ltnP l (f + n).
  have := blocks_apart c lfn; rewrite mulnDl; case: nc => [n0|].
    by move: lfn; rewrite n0 addn0 ltnNge fl.
  by move: (l * c) (f * c) (n * c) ijE ME fcl => L F N; lia.
have := leq_mul fnl (leqnn c); rewrite mulnDl.
by move: (l * c) (f * c) (n * c) ijE ME fcl => L F N; lia.
Qed.

Lemma fits_line i M j : j < c -> i + M <= c * e ->
  (M - j + c.-1) %/ c = 0 \/ (i + j) %/ c + (M - j + c.-1) %/ c <= e.
Proof.
move=> jc fits; have [->|n0] := posnP ((M - j + c.-1) %/ c); [by left|right].
have := @levels_of i M j ((i + j) %/ c + (M - j + c.-1) %/ c).-1 jc.
move: ((i + j) %% c) ((i + j) %/ c) (_ %/ c) n0 => a f n n0.
have -> : f <= (f + n).-1 < f + n by lia.
case/andP=> _ lt_k; have : a + (f + n).-1 * c < c * e by apply: leq_trans lt_k _.
have [//|lt_e] := leqP (f + n) e; have le_e : e <= (f + n).-1 by lia.
by have := leq_mul le_e (leqnn c); rewrite [c * e]mulnC; lia.
Qed.

(** Claims: calmant.lem5. *)
Theorem calmant_lemma_5 i M j y m : j < c -> i + M <= c * e -> m.+1 < 2 ^ e ->
  mesh_up i M ((i + j) %% c) y m = right_load e ((i + j) %/ c) ((M - j + c.-1) %/ c) m /\
  mesh_down i M ((i + j) %% c) y m = left_load e ((i + j) %/ c) ((M - j + c.-1) %/ c) m.
Proof.
move=> jc fits lt_m; set a := _ %% c; set f := _ %/ c; set n := _ %/ c.
have ac : a < c by apply: ltn_pmod.
have le_fn : n = 0 \/ f + n <= e := fits_line jc fits.
have other k x : k %% c != a -> coordinate c (neighbour k x) a = coordinate c x a.
  by move=> ka; apply: embedding_axis; rewrite eq_sym.
have count_up k : k %% c = a -> #|[set x | on_line a y x &&
    (coordinate c x a <= m < coordinate c (neighbour k x) a)]|
    = count (goes_right (k %/ c) m) (iota 0 (2 ^ e)).
  move=> ka; rewrite -(line_card ac y); apply: eq_card => x; rewrite !inE.
  by rewrite neighbour_num.
have count_down k : k %% c = a -> #|[set x | on_line a y x &&
    (coordinate c (neighbour k x) a <= m < coordinate c x a)]|
    = count (goes_left (k %/ c) m) (iota 0 (2 ^ e)).
  move=> ka; rewrite -(line_card ac y); apply: eq_card => x; rewrite !inE.
  by rewrite neighbour_num.
have to_line (W : nat -> nat) (G : 'I_(c * e) -> nat) :
    (forall k, k %% c != a -> G k = 0) -> (forall k, k %% c = a -> G k = W (k %/ c)) ->
    \sum_(k < c * e | i <= k < i + M) G k = \sum_(l <- iota f n) W l.
  move=> zero own; rewrite (bigID (fun k => k %% c == a)) /= [X in _ + X]big1 ?addn0; last first.
    by move=> k /andP[_ /zero].
  rewrite (sum_axis ac) -(sum_levels ac W le_fn); apply: eq_big => l.
    by rewrite /= levels_of.
  by move=> _; rewrite own ?place_axis // -[_ %/ c]/(val (level (place_of ac l))) place_level.
rewrite right_loadE left_loadE.
split; apply: to_line => // k; try by [exact: count_up|exact: count_down].
  by move=> ka; apply: eq_card0 => x; rewrite !inE other //; lia.
by move=> ka; apply: eq_card0 => x; rewrite !inE other //; lia.
Qed.

Lemma some_turn i a : a < c -> exists2 j, j < c & (i + j) %% c = a.
Proof.
move=> ac; exists ((a + (c - i %% c)) %% c); first by rewrite ltn_pmod.
rewrite modnDmr {1}(divn_eq i c) -addnA (_ : _ + (a + _) = c + a); last first.
  by have := ltn_pmod i c0; lia.
by rewrite modnMDl modnDl modn_small.
Qed.

(* The largest load of the mesh, over all axes, lines, links and directions. *)
(** Claims: calmant.thm3. *)
Theorem calmant_theorem_3 i M : i + M <= c * e ->
  (forall a y m, a < c -> m.+1 < 2 ^ e ->
     mesh_up i M a y m <= mesh_load i M c /\ mesh_down i M a y m <= mesh_load i M c) /\
  (M > 0 -> exists a m, [/\ a < c, m.+1 < 2 ^ e & forall y,
     mesh_up i M a y m = mesh_load i M c /\ mesh_down i M a y m = mesh_load i M c]).
Proof.
move=> fits; split=> [a y m ac lt_m|M0].
  have [j jc <-] := some_turn i ac; have [-> ->] := calmant_lemma_5 y jc fits lt_m.
  have [Mj|jM] := leqP M j.
    have n0 : (M - j + c.-1) %/ c = 0 by rewrite divn_small //; lia.
    by rewrite n0 right_loadE left_loadE !big_nil.
  have [n0|le_fn] := fits_line jc fits; first by rewrite n0 right_loadE left_loadE !big_nil.
  have [le_load _] := calmant_theorem_3_numbers i c0 (leq_ltn_trans (leq0n j) jM).
  have := le_load j; rewrite leq_min jc jM => /(_ isT) le_j.
  have [le_line _] := calmant_theorem_1 le_fn; have [up down] := le_line m lt_m.
  by split; apply: leq_trans le_j.
have [_ [jM axisE]] := calmant_theorem_3_numbers i c0 M0.
have jc : M.-1 %% c < c by rewrite ltn_pmod.
have [n0|le_fn] := fits_line jc fits.
  have : M.-1 %% c < M by move: jM; rewrite leq_min => /andP[].
  have := divn_eq (M - M.-1 %% c + c.-1) c; rewrite n0.
  by have := ltn_pmod (M - M.-1 %% c + c.-1) c0; lia.
have n0 : 0 < (M - M.-1 %% c + c.-1) %/ c.
  by rewrite divn_gt0 //; move: jM; rewrite leq_min => /andP[_]; lia.
have [_ /(_ n0)[m [lt_m up down]]] := calmant_theorem_1 le_fn.
exists ((i + M.-1 %% c) %% c), m; split=> // [|y]; first by rewrite ltn_pmod.
by have [-> ->] := calmant_lemma_5 y jc fits lt_m; rewrite -axisE.
Qed.

(** ** Theorem 4 *)

(* Messages along k from x and along k' from y have a source, a destination or a link in one
   direction in common. *)
Definition share k x k' y := [\/ x = y, neighbour k x = neighbour k' y
  | exists a m z, on_line a z x && on_line a z y
      && (coordinate c x a <= m < coordinate c (neighbour k x) a)
      && (coordinate c y a <= m < coordinate c (neighbour k' y) a)
    \/ on_line a z x && on_line a z y
      && (coordinate c (neighbour k x) a <= m < coordinate c x a)
      && (coordinate c (neighbour k' y) a <= m < coordinate c y a)].

Definition mesh_conflict_free i M (s : 'I_(c * e) -> {ffun 'I_(c * e) -> bool} -> nat) :=
  forall k x k' y, i <= k < i + M -> i <= k' < i + M -> (k, x) != (k', y) ->
  s k x = s k' y -> ~ share k x k' y.

Lemma mesh_steps_needed i M s T (P : 'I_(c * e) -> pred {ffun 'I_(c * e) -> bool}) :
  mesh_conflict_free i M s -> (forall k x, i <= k < i + M -> s k x < T) ->
  (forall k x k' y, P k x -> P k' y -> share k x k' y) ->
  \sum_(k < c * e | i <= k < i + M) #|[set x | P k x]| <= T.
Proof.
move=> free lt_T meet.
pose X := [set q : 'I_(c * e) * {ffun 'I_(c * e) -> bool} | (i <= q.1 < i + M) && P q.1 q.2].
have -> : \sum_(k < c * e | i <= k < i + M) #|[set x | P k x]| = #|X|.
  rewrite -sum1_card (eq_bigl (fun q : 'I_(c * e) * {ffun 'I_(c * e) -> bool} =>
    (i <= q.1 < i + M) && P q.1 q.2)) => [|q]; last by rewrite inE.
  rewrite -(pair_big_dep (fun k : 'I_(c * e) => i <= k < i + M) P (fun _ _ => 1)) /=.
  by apply: eq_bigr => k _; rewrite -sum1_card; apply: eq_bigl => x; rewrite inE.
case: T lt_T => [|T] lt_T.
  rewrite leqn0 cards_eq0; apply/eqP/setP=> q; rewrite !inE; apply/negP=> /andP[ki _].
  by have := lt_T q.1 q.2 ki.
pose step (q : 'I_(c * e) * {ffun 'I_(c * e) -> bool}) : 'I_T.+1 := inord (s q.1 q.2).
rewrite -[T.+1]card_ord -(@card_in_imset _ _ step X) ?max_card //.
move=> [k x] [k' y]; rewrite !inE /= => /andP[ki Pk] /andP[ki' Pk'] same; apply/eqP/negPn/negP=> xy.
apply: (free k x k' y) => //; last exact: meet.
by have := congr1 val same; rewrite /step /= !inordK // lt_T.
Qed.

(* No schedule takes fewer steps than the busiest link has messages, or a process sends. *)
(** Claims: calmant.thm4. *)
Theorem calmant_theorem_4 i M s T : i + M <= c * e -> mesh_conflict_free i M s ->
  (forall k x, i <= k < i + M -> s k x < T) -> maxn (mesh_load i M c) M <= T.
Proof.
move=> fits free lt_T; rewrite geq_max; apply/andP; split.
  have [->|M0] := posnP M.
    by rewrite /mesh_load add0n [c.-1 %/ c]divn_small ?line_load0 //; lia.
  have [_ /(_ M0)[a [m [_ _ top]]]] := calmant_theorem_3 fits.
  pose y : {ffun 'I_(c * e) -> bool} := [ffun=> false].
  have [<- _] := top y; apply: (mesh_steps_needed free lt_T) => k x k' z.
  move=> /andP[xl xm] /andP[zl zm]; apply: Or33; exists a, m, y; left.
  by rewrite xl zl xm zm.
pose y : {ffun 'I_(c * e) -> bool} := [ffun=> false].
have k_lt (t : 'I_M) : i + t < c * e by have := ltn_ord t; lia.
have in_task (t : 'I_M) : i <= Ordinal (k_lt t) < i + M by rewrite /=; have := ltn_ord t; lia.
pose f (t : 'I_M) : 'I_T := Ordinal (lt_T _ y (in_task t)).
rewrite -[M]card_ord -[T]card_ord; apply: (@leq_card _ _ f) => t t' /(congr1 val) /= same.
apply/val_inj/eqP/negPn/negP=> tt'; apply: (free _ y _ y (in_task t) (in_task t') _ same).
  by rewrite xpair_eqE eqxx andbT -val_eqE /= eqn_add2l.
exact: Or31.
Qed.

End Mesh.
