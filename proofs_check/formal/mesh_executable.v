(* Meshes, their schedules and blocks of bits on lists of booleans, proved equal to the definitions
   of `embedding.v`, `mesh.v`, `schedules.v`, `tasks.v` and `blocks.v`; with them the numbers of
   `line.v` that `lines.txt` has not.

   `build.py` has the prover evaluate them on meshes of up to 4 x 4 nodes and blocks of up to three
   bits (`meshes.txt`), and a test compares the numbers with messages walked one by one. *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.
From lcc Require Import kernel lattice programme embedding line mesh schedules tasks blocks.
From lcc Require Import executable lcp_executable certificate kernel_executable orders_executable.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** The embedding *)

Definition run_coordinate d c (x : seq bool) j :=
  sumn [seq nat_of_bool (nth false x i) * 2 ^ (i %/ c) | i <- iota 0 d & i %% c == j].
Definition run_neighbour d k (x : seq bool) :=
  mkseq (fun i => if i == k then ~~ nth false x i else nth false x i) d.
Definition run_distance d c x y := sumn [seq
  maxn (run_coordinate d c x j) (run_coordinate d c y j)
  - minn (run_coordinate d c x j) (run_coordinate d c y j) | j <- iota 0 c].

Definition run_on_line d c a (y x : seq bool) :=
  all (fun k => (k %% c != a) ==> (nth false x k == nth false y k)) (iota 0 d).
Definition run_up d c a m k x :=
  run_coordinate d c x a <= m < run_coordinate d c (run_neighbour d k x) a.
Definition run_down d c a m k x :=
  run_coordinate d c (run_neighbour d k x) a <= m < run_coordinate d c x a.
Definition run_mesh_up d c i M a y m := sumn [seq
  count (fun x => run_on_line d c a y x && run_up d c a m k x) (words d)
  | k <- iota 0 d & i <= k < i + M].
Definition run_mesh_down d c i M a y m := sumn [seq
  count (fun x => run_on_line d c a y x && run_down d c a m k x) (words d)
  | k <- iota 0 d & i <= k < i + M].

Definition run_share d c k x k' y := [|| x == y, run_neighbour d k x == run_neighbour d k' y
  | has (fun a => has (fun z => if run_on_line d c a z x && run_on_line d c a z y
      then has (fun m => run_up d c a m k x && run_up d c a m k' y
                         || run_down d c a m k x && run_down d c a m k' y) (iota 0 (2 ^ d))
      else false) (words d)) (iota 0 c)].
Definition run_mesh_free d c i M (s : nat -> seq bool -> nat) :=
  let dims := [seq k <- iota 0 d | i <= k < i + M] in
  all (fun k => all (fun x => all (fun k' => all (fun y =>
    if ((k, x) != (k', y)) && (s k x == s k' y) then ~~ run_share d c k x k' y else true)
  (words d)) dims) (words d)) dims.

(* The paper's schedules. *)
Definition run_groups d c i n x :=
  sumn [seq run_coordinate d c x (k %% c) %% 2 ^ (k %/ c) | k <- iota i n].
Definition run_single_step d c i M k x := (run_groups d c i M x + k) %% mesh_bound c i M.
Definition run_turn d c i M q x :=
  (sumn [seq run_coordinate d c x (r %% c) %% 2 ^ (r %/ c).-1
        | r <- iota (i + M - c) (i + M - (i + M - c))]
   + q + (uphalf (mesh_bound c i M)).-1 * c) %% uphalf (mesh_bound c i M).
Definition run_pair_step d c i M k x := let q := upper c i M k in
  2 * run_turn d c i M q x
  + ((k == q) != pair_first (q %/ c) (2 * run_coordinate d c x (k %% c))).

Definition run_rest_step d c i r k x :=
  if r <= c then run_single_step d c i r k x else run_pair_step d c i r k x.
Fixpoint run_parts_step d c i r n k x := if n is n'.+1 then
  if k < i + r + 2 * c * n' then run_parts_step d c i r n' k x
  else parts_length c i r n' + run_pair_step d c (i + r + 2 * c * n') (2 * c) k x
else run_rest_step d c i r k x.
Definition run_task_step d c i M := run_parts_step d c i (M %% (2 * c)) (M %/ (2 * c)).

Section Functions.

Variable d : nat.
Implicit Types (x y z : seq bool) (k : 'I_d).

Definition fun_of x : {ffun 'I_d -> bool} := [ffun k : 'I_d => nth false x k].

Lemma functions_perm :
  perm_eq (enum [finType of {ffun 'I_d -> bool}]) (map fun_of (words d)).
Proof.
apply: uniq_perm; first exact: enum_uniq.
  rewrite map_inj_in_uniq ?words_uniq // => x y; rewrite !mem_words => /eqP xd /eqP yd xy.
  apply: (@eq_from_nth _ false); rewrite ?xd ?yd // => i lt_i.
  by have /ffunP/(_ (Ordinal lt_i)) := xy; rewrite !ffunE.
move=> f; rewrite mem_enum inE; symmetry; apply/mapP.
exists (mkseq (fun i => if insub i is Some k then f k else false) d).
  by rewrite mem_words size_mkseq.
by apply/ffunP=> k; rewrite ffunE nth_mkseq // valK.
Qed.

Lemma function_of (f : {ffun 'I_d -> bool}) : exists2 x, x \in words d & fun_of x = f.
Proof.
have := mem_enum (mem [finType of {ffun 'I_d -> bool}]) f.
by rewrite (perm_mem functions_perm) inE => /mapP[x xd ->]; exists x.
Qed.

Lemma fun_of_inj x y : x \in words d -> y \in words d -> (fun_of x == fun_of y) = (x == y).
Proof.
rewrite !mem_words => /eqP xd /eqP yd; apply/eqP/eqP=> [/ffunP xy|-> //].
apply: (@eq_from_nth _ false); rewrite ?xd ?yd // => i lt_i.
by have := xy (Ordinal lt_i); rewrite !ffunE.
Qed.

Lemma count_functions (P : pred {ffun 'I_d -> bool}) :
  count (P \o fun_of) (words d) = #|[set f | P f]|.
Proof.
rewrite -count_map -(seq.permP functions_perm P) cardsE cardE -size_filter; congr size.
by rewrite enumT; apply: eq_filter => f.
Qed.

Lemma sum_iota (P : pred nat) (F : nat -> nat) :
  sumn [seq F i | i <- iota 0 d & P i] = \sum_(i < d | P i) F i.
Proof. by rewrite sumnE big_map big_filter -{1}[d]subn0 -/(index_iota 0 d) big_mkord. Qed.

Lemma run_coordinateE c x j : run_coordinate d c x j = coordinate c (fun_of x) j.
Proof. by rewrite /run_coordinate sum_iota; apply: eq_bigr => i _; rewrite ffunE. Qed.

Lemma run_neighbourE k x : fun_of (run_neighbour d k x) = neighbour k (fun_of x).
Proof. by apply/ffunP=> i; rewrite !ffunE nth_mkseq // val_eqE. Qed.

Lemma run_distanceE c x y : run_distance d c x y = distance c (fun_of x) (fun_of y).
Proof.
rewrite /run_distance /distance sumnE big_map -{1}[c]subn0 -/(index_iota 0 c) big_mkord.
by apply: eq_bigr => j _; rewrite !run_coordinateE.
Qed.

End Functions.

Section Mesh.

Variables (c e : nat).
Local Notation d := (c * e).
Implicit Types (x y z : seq bool) (k : 'I_d) (a m : nat).

Lemma run_on_lineE a y x : run_on_line d c a y x = on_line a (fun_of d y) (fun_of d x).
Proof. by rewrite /run_on_line all_iota; apply: eq_forallb => k; rewrite !ffunE. Qed.

Lemma run_upE a m k x : run_up d c a m k x
  = (coordinate c (fun_of d x) a <= m < coordinate c (neighbour k (fun_of d x)) a).
Proof. by rewrite /run_up !run_coordinateE run_neighbourE. Qed.

Lemma run_downE a m k x : run_down d c a m k x
  = (coordinate c (neighbour k (fun_of d x)) a <= m < coordinate c (fun_of d x) a).
Proof. by rewrite /run_down !run_coordinateE run_neighbourE. Qed.

Lemma run_mesh_upE i M a y m : run_mesh_up d c i M a y m = mesh_up i M a (fun_of d y) m.
Proof.
rewrite /run_mesh_up sum_iota; apply: eq_bigr => k _; rewrite -count_functions.
by apply: eq_count => x; rewrite /= run_on_lineE run_upE.
Qed.

Lemma run_mesh_downE i M a y m : run_mesh_down d c i M a y m = mesh_down i M a (fun_of d y) m.
Proof.
rewrite /run_mesh_down sum_iota; apply: eq_bigr => k _; rewrite -count_functions.
by apply: eq_count => x; rewrite /= run_on_lineE run_downE.
Qed.

Lemma run_groupsE i n x : run_groups d c i n x = groups i n (fun_of d x).
Proof.
rewrite /run_groups sumnE big_map /groups /index_iota addKn.
by apply: eq_bigr => k _; rewrite run_coordinateE.
Qed.

Lemma run_single_stepE i M k x : run_single_step d c i M k x = single_step i M k (fun_of d x).
Proof. by rewrite /run_single_step run_groupsE. Qed.

Lemma run_turnE i M q x : run_turn d c i M q x = turn i M q (fun_of d x).
Proof.
rewrite /run_turn sumnE big_map; congr ((_ + q + _) %% _).
by apply: eq_bigr => r _; rewrite run_coordinateE.
Qed.

Lemma run_pair_stepE i M k x : run_pair_step d c i M k x = pair_step i M k (fun_of d x).
Proof. by rewrite /run_pair_step run_turnE run_coordinateE. Qed.

Lemma run_rest_stepE i r k x : run_rest_step d c i r k x = rest_step i r k (fun_of d x).
Proof. by rewrite /run_rest_step run_single_stepE run_pair_stepE. Qed.

Lemma run_parts_stepE i r n k x :
  run_parts_step d c i r n k x = parts_step i r n k (fun_of d x).
Proof. by elim: n => [|n IH] /=; rewrite ?run_rest_stepE // IH run_pair_stepE. Qed.

Lemma run_task_stepE i M k x : run_task_step d c i M k x = task_step i M k (fun_of d x).
Proof. exact: run_parts_stepE. Qed.

Lemma coordinate_le (f : {ffun 'I_d -> bool}) a : coordinate c f a <= 2 ^ d.
Proof.
apply: leq_trans (_ : \sum_(k < d) 2 ^ k <= _); last by rewrite sum_powers leq_pred.
rewrite /coordinate big_mkcond; apply: leq_sum => k _; case: ifP => // _.
apply: leq_trans (_ : 2 ^ (k %/ c) <= _); first by case: (f k); rewrite ?mul1n.
by rewrite leq_exp2l // leq_div.
Qed.

Lemma coordinate_off (f : {ffun 'I_d -> bool}) a : 0 < c -> c <= a -> coordinate c f a = 0.
Proof.
move=> c0 ca; rewrite /coordinate big_pred0 // => k; apply/negbTE; rewrite neq_ltn.
by rewrite (leq_trans (ltn_pmod k c0)).
Qed.

Lemma run_shareP k x k' y : 0 < c -> x \in words d -> y \in words d ->
  reflect (share k (fun_of d x) k' (fun_of d y)) (run_share d c k x k' y).
Proof.
move=> c0 xd yd; have nd l z : run_neighbour d l z \in words d by rewrite mem_words size_mkseq.
apply: (iffP or3P) => [[/eqP ->|/eqP same|]|[/eqP|/eqP|[a [m [z on]]]]].
- exact: Or31.
- by apply: Or32; rewrite -!run_neighbourE same.
- move=> /hasP[a _ /hasP[z _]]; case: ifP => // + /hasP[m _].
  rewrite !run_on_lineE !run_upE !run_downE => /andP[zx zy] ways.
  apply: Or33; exists a, m, (fun_of d z); rewrite zx zy /=.
  by case/orP: ways; [left|right].
- by rewrite fun_of_inj //; apply: Or31.
- by rewrite -!run_neighbourE fun_of_inj //; apply: Or32.
apply: Or33; have [w wd wz] := function_of z; rewrite -wz in on.
have lt_ac : a < c.
  rewrite ltnNge; apply/negP=> ca; move: on; rewrite !coordinate_off //.
  by case=> /andP[/andP[_]]; rewrite ltn0 andbF.
have lt_m : m < 2 ^ d.
  by case: on => /andP[/andP[_ /andP[_ lt_m]] _]; apply: leq_trans lt_m (coordinate_le _ _).
apply/hasP; exists a; first by rewrite mem_iota.
apply/hasP; exists w; rewrite // !run_on_lineE.
case: on => /andP[/andP[-> up] up']; apply/hasP; exists m; rewrite ?mem_iota //;
  by rewrite !run_upE !run_downE up up' ?orbT.
Qed.

Lemma run_mesh_freeP i M (s : 'I_d -> {ffun 'I_d -> bool} -> nat) (rs : nat -> seq bool -> nat) :
  0 < c -> (forall k x, x \in words d -> rs k x = s k (fun_of d x)) ->
  reflect (mesh_conflict_free i M s) (run_mesh_free d c i M rs).
Proof.
move=> c0 rsE; apply: (iffP allP) => [free k f k' g ik ik'|free l].
  have [x xd <-] := function_of f; have [y yd <-] := function_of g => apart same.
  have inn (l : 'I_d) : i <= l < i + M -> val l \in [seq k <- iota 0 d | i <= k < i + M].
    by move=> il; rewrite mem_filter il in_iota.
  have /allP/(_ x xd)/allP/(_ _ (inn _ ik'))/allP/(_ y yd) := free _ (inn _ ik).
  rewrite !rsE // same eqxx andbT; have -> : ((val k, x) != (val k', y)) = true.
    by apply: contraNN apart => /eqP[kk ->]; apply/eqP; congr pair; apply/val_inj.
  by move/(run_shareP k k' c0 xd yd).
rewrite mem_filter mem_iota => /andP[il /= lt_l]; apply/allP=> x xd; apply/allP=> l'.
rewrite mem_filter mem_iota => /andP[il' /= lt_l']; apply/allP=> y yd.
case: ifP => // /andP[apart]; rewrite (rsE (Ordinal lt_l)) // (rsE (Ordinal lt_l')) // => /eqP same.
apply/(run_shareP (Ordinal lt_l) (Ordinal lt_l') c0 xd yd); apply: free same => //.
by apply: contraNneq apart => -[ll /eqP]; rewrite fun_of_inj // => /eqP ->; rewrite ll.
Qed.

End Mesh.

(** ** Blocks of bits *)

Section Blocks.

Variables (n a : nat) (block : 'I_n -> 'I_a) (run_block : nat -> nat).
Hypothesis blockE : forall i : 'I_n, run_block i = block i.
Variables (src dst : vec n -> vec n) (rsrc rdst : seq bool -> nat -> bool).
Hypothesis srcE : forall x (i : 'I_n), bit (rsrc x i) = src (vec_of n x) i ord0.
Hypothesis dstE : forall x (i : 'I_n), bit (rdst x i) = dst (vec_of n x) i ord0.

Definition run_correct_block (now : seq bool -> nat -> bool) j : seq bool -> nat -> bool :=
  fun x i => if run_block i == j then rdst x i else now x i.
Definition run_places (S : seq bool) : seq bool -> nat -> bool :=
  fun x i => if nth false S (run_block i) then rdst x i else rsrc x i.

(* Where every message stands, as a function and as a program. *)
Definition stands (now : {ffun vec n -> vec n}) (run_now : seq bool -> nat -> bool) :=
  forall x (i : 'I_n), bit (run_now x i) = now (vec_of n x) i ord0.

Lemma run_correct_blockE now run_now (j : 'I_a) : stands now run_now ->
  stands (correct_block block dst now j) (run_correct_block run_now j).
Proof.
move=> nowE x i; rewrite !ffunE mxE /run_correct_block blockE -[block i == j]val_eqE.
by case: eqP => _; rewrite ?dstE ?nowE.
Qed.

Lemma run_placesE S : stands (places block src dst (set_of a S)) (run_places S).
Proof.
move=> x i; rewrite !ffunE mxE /run_places blockE !inE.
by case: ifP => _; rewrite ?dstE ?srcE.
Qed.

Variables (step : {ffun vec n -> vec n} -> 'I_a -> {ffun vec n -> vec n} -> nat).
Variables (add : nat -> nat -> nat).
Variable run_step : (seq bool -> nat -> bool) -> nat -> (seq bool -> nat -> bool) -> nat.
Hypothesis stepE : forall now run_now after run_after (j : 'I_a), stands now run_now ->
  stands after run_after -> run_step run_now j run_after = step now j after.

Fixpoint run_moved now v l := if l is j :: l' then
  run_moved (run_correct_block now j) (add v (run_step now j (run_correct_block now j))) l' else v.

Lemma run_movedE now run_now v (l : seq 'I_a) : stands now run_now ->
  run_moved run_now v (map val l) = moved block dst step add now v l.
Proof.
elim: l now run_now v => //= j l IH now run_now v nowE; have after := run_correct_blockE j nowE.
by rewrite (stepE _ nowE after); apply: IH.
Qed.

Definition run_block_price S j := run_step (run_places S) j
  (run_places (mkseq (fun i => (i == j) || nth false S i) a)).

Lemma run_block_priceE S (j : 'I_a) :
  run_block_price S j = block_price block src dst step (set_of a S) j.
Proof.
rewrite /run_block_price /block_price (stepE _ (run_placesE _) (run_placesE _)).
by congr (step _ _ (places _ _ _ _)); apply/setP=> i; rewrite !inE nth_mkseq // val_eqE.
Qed.

End Blocks.

(* A step that costs the number of messages that move. *)
Definition run_movers n (now : seq bool -> nat -> bool) (j : nat) after :=
  count (fun x => has (fun i => now x i != after x i) (iota 0 n)) (words n).

Lemma run_moversE n a (j : 'I_a) (now after : {ffun vec n -> vec n}) run_now run_after :
  stands now run_now -> stands after run_after ->
  run_movers n run_now j run_after = #|[set m | now m != after m]|.
Proof.
move=> nowE afterE; rewrite -count_words; apply: eq_count => x /=.
rewrite -[has _ _]negbK -all_predC all_iota; congr (~~ _).
apply/forallP/eqP=> [same|same i] /=.
  by apply/matrixP=> i z; rewrite (ord1 z) -nowE -afterE; have /= := same i; case: eqP => [->|].
by rewrite negbK -bit_eq nowE afterE same.
Qed.

(** ** What is evaluated *)

From Coq Require Import String.

(* A mesh of c axes, 2^e nodes on each: coordinates, neighbours, distances; who is on a line; the
   loads of all [i, M], axes, lines and links; whether all messages of [i, M] share nothing in one
   step, and in steps of their own; what shares; waves and the numbers of Theorem 3. *)
Definition mesh_numbers c e : seq nat :=
  let d := (c * e)%N in let tasks := [seq (i, M) | i <- iota 0 d, M <- iota 1 (d - i)] in
  [seq run_coordinate d c x j | x <- words d, j <- iota 0 c]
  ++ numbers (flatten [seq run_neighbour d k x | k <- iota 0 d, x <- words d])
  ++ [seq run_distance d c x y | x <- words d, y <- words d]
  ++ numbers [seq run_on_line d c q.1 q.2 x | q <- [seq (a, y) | a <- iota 0 c, y <- words d],
                                             x <- words d]
  ++ flatten [seq flatten [seq [seq run_mesh_up d c t.1 t.2 a y m | m <- iota 0 (2 ^ e).-1]
       ++ [seq run_mesh_down d c t.1 t.2 a y m | m <- iota 0 (2 ^ e).-1]
     | a <- iota 0 c, y <- words d] | t <- tasks]
  ++ (if 2 < d then [::] else numbers (flatten [seq [:: run_mesh_free d c t.1 t.2 (fun _ _ => 0);
       run_mesh_free d c t.1 t.2 (fun k x => 16 * k + foldr (fun (a : bool) p => a + 2 * p) 0 x)]
     | t <- tasks]))
  ++ (if 3 < d then [::] else numbers [seq run_share d c q.1 q.2 0 y
     | q <- [seq (k, x) | k <- iota 0 d, x <- words d], y <- words d])
  ++ [seq wave k m | k <- iota 0 e, m <- iota 0 (2 ^ e).-1]
  ++ flatten [seq mesh_load t.1 t.2 c :: [seq axis_load t.1 t.2 c j | j <- iota 0 c] | t <- tasks].

(* The bound of all [i, M] of at most 2 c dimensions, the longer dimensions, and all steps; of more
   dimensions the length and all steps. *)
Definition step_numbers c e : seq nat :=
  let d := (c * e)%N in
  flatten [seq flatten [seq mesh_bound c i M ::
    (if M <= c then [seq run_single_step d c i M k x | k <- iota i M, x <- words d]
     else [seq upper c i M k - i | k <- iota i M]
       ++ [seq run_pair_step d c i M k x | k <- iota i M, x <- words d])
  | M <- iota 1 (minn (2 * c) (d - i))]
  ++ flatten [seq task_length c i M :: [seq run_task_step d c i M k x | k <- iota i M, x <- words d]
             | M <- iota (2 * c).+1 (d - i - 2 * c)] | i <- iota 0 d].

(* Messages x to A x of n bits, in blocks 0, ..., a-1 by the bits' remainders: the prices of all
   steps, and for all orders what moving costs, where the dearest step counts. *)
Definition block_numbers n a A : seq nat :=
  let direct := nth false in let image := run_image n A [::] in let block i := (i %% a)%N in
  [seq run_block_price a block direct image (run_movers n) S j | S <- words a, j <- iota 0 a]
  ++ [seq run_moved block image maxn (run_movers n) direct 0 l | l <- executable.orders a].

(* Meshes of n axes, schedules on them, then blocks of n bits. *)
Definition meshes n : seq string :=
  [seq digits (mesh_numbers n e) | e <- iota 1 (4 - n)]
  ++ [seq digits (step_numbers n e) | e <- iota 1 (if n == 3 then 2 else 3)]
  ++ [seq digits (flatten [seq block_numbers n a A | a <- iota 1 n]) | A <- chosen n].
