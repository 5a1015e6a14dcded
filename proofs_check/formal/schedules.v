(* Diaz de Cerio, Valero-Garcia, Gonzalez: the schedules of a mesh (Properties 1 to 3).

   Of a task of at most 2 c dimensions an axis has one or two. Two messages of one axis that meet
   are of one line, and what they meet in they meet in on that line; so the schedule of the line
   keeps them apart, if the line's groups keep their steps apart. Two of different axes meet in one
   process, which is their source or destination, alone. Exchanges do not leave a process's groups,
   so the groups of both add up to one sum, and the term k keeps the axes apart, if there is room
   for as many turns as axes. For c < M < 2 c there may be none: then two axes of a process have
   one turn, and Property 3 fails.

   mesh_bound i M c == the larger of the load and M: no schedule takes fewer steps (Theorem 4)
   groups i n x == the sum of the groups m_(k mod c) mod 2^(k div c) of x, k = i, ..., i+n-1
   single_step i M k x == (groups + k) mod mesh_bound: the step of x's message along k, M <= c
   upper i M k == the longer dimension of the axis of k: the one in i+M-c, ..., i+M-1
   turn i M q x == (the groups of q'-c for all longer dimensions q', 0 where q' < c, + q - c) mod
      half of mesh_bound, rounded up: the turn of q's axis
   pair_step i M k x == 2 turn, one more for the longer dimension where bits q div c - 1 and
      q div c of the coordinate differ, for the shorter one where they do not; c < M <= 2 c *)

From mathcomp Require Import all_ssreflect zify.
From lcc Require Import utility embedding line mesh.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Numbers *)

Lemma partner_mod w v p : w <= v -> partner v p %% 2 ^ w = p %% 2 ^ w.
Proof.
move=> wv; have /dvdnP[z zE] : 2 ^ w %| 2 ^ v by rewrite dvdn_exp2l.
rewrite /partner; case: ifP => [_|/negbT]; first by rewrite zE addnC modnMDl.
rewrite -leqNgt => le_v; have /subnK := leq_trans le_v (leq_mod p _).
by move: (p - _) => r <-; rewrite zE addnC modnMDl.
Qed.

Lemma partner_double v p : partner v.+1 (2 * p) = 2 * partner v p.
Proof.
by rewrite /partner [2 ^ v.+2]expnS -muln_modr [2 ^ v.+1]expnS; do 2![case: ifP]; lia.
Qed.

Lemma meet_not_double k p k' p' :
  meet_not k.+1 (2 * p) k'.+1 (2 * p') -> meet_not k p k' p'.
Proof.
rewrite /meet_not /goes_right /goes_left !partner_double => -[source goal right left].
by split=> [||m|m]; [lia|lia|have := right (2 * m)|have := left (2 * m).+1]; lia.
Qed.

Lemma two_parts s s' (b b' : bool) : 2 * s + b = 2 * s' + b' -> s = s' /\ b = b'.
Proof. by case: b; case: b' => /=; lia. Qed.

Lemma one_of_two j (b : bool) : j + b <= j.+1 < (j + b).+2.
Proof. by case: b; lia. Qed.

Lemma bits_differ l g : 2 * g < 2 ^ l -> pair_first l (2 * (2 ^ l + g)) = false.
Proof.
move=> small; have K0 : 0 < 2 ^ l by rewrite expn_gt0.
rewrite /pair_first expnS divnMl // mulnDr divnMDl // -{2}[2 ^ l]mul1n divnMDl //.
by rewrite !divn_small //; lia.
Qed.

(* Dimensions of a window of c numbers are of different axes. *)
Lemma window_axis c u q r : u <= q < u + c -> u <= r < u + c -> q %% c = r %% c -> q = r.
Proof.
move=> uq ur; wlog le_qr : q r uq ur / q <= r.
  by move=> rest same; have [/rest->|/ltnW/rest->] := leqP q r.
move/eqP; rewrite eq_sym eqn_mod_dvd // => div; have [|r_q] := posnP (r - q); first by lia.
by have := dvdn_leq r_q div; lia.
Qed.

Section Schedules.

Variables (c e : nat).
Hypothesis c0 : 0 < c.
Implicit Types (x y : {ffun 'I_(c * e) -> bool}) (k : 'I_(c * e)) (i M q r : nat).

Definition mesh_bound i M := maxn (mesh_load i M c) M.

Definition groups i n x := \sum_(i <= k < i + n) coordinate c x (k %% c) %% 2 ^ (k %/ c).

Definition single_step i M k x := (groups i M x + k) %% mesh_bound i M.

Definition upper i M q := if q < i + M - c then q + c else q.

Definition turn i M q x :=
  (\sum_(i + M - c <= r < i + M) coordinate c x (r %% c) %% 2 ^ (r %/ c).-1
   + q + (uphalf (mesh_bound i M)).-1 * c) %% uphalf (mesh_bound i M).

Definition pair_step i M k x := let q := upper i M k in
  2 * turn i M q x
  + ((val k == q) != pair_first (q %/ c) (2 * coordinate c x (k %% c))).

(** ** What two messages share *)

Lemma coordinates_inj x y : (forall a, a < c -> coordinate c x a = coordinate c y a) -> x = y.
Proof.
move=> same; apply/ffunP=> r; have rc : r %% c < c by rewrite ltn_mod.
have := same _ rc; rewrite !(coordinate_num c0 rc).
by move=> /num_inj/ffunP/(_ (level c0 r)); rewrite !ffunE level_place.
Qed.

Lemma line_coordinate a z x a' : on_line a z x -> a' != a -> coordinate c x a' = coordinate c z a'.
Proof.
move=> /forallP line aa'; apply: eq_bigr => r /eqP ra; have := line r.
by rewrite ra aa' => /eqP ->.
Qed.

Lemma moved_axis k x a m :
  (coordinate c x a <= m < coordinate c (neighbour k x) a)
  || (coordinate c (neighbour k x) a <= m < coordinate c x a) -> a = k %% c.
Proof. by move=> moved; apply/eqP/negPn/negP=> ak; move: moved; rewrite embedding_axis //; lia. Qed.

Lemma share_axis k x k' y : share k x k' y -> k %% c = k' %% c -> (k, x) != (k', y) ->
  [/\ forall a, a != k %% c -> coordinate c x a = coordinate c y a,
      (k %/ c, coordinate c x (k %% c)) != (k' %/ c, coordinate c y (k %% c))
    & ~ meet_not (k %/ c) (coordinate c x (k %% c)) (k' %/ c) (coordinate c y (k %% c))].
Proof.
move=> shared kk apart; have kc : k %% c < c by rewrite ltn_mod.
have off a : a != k %% c -> coordinate c x a = coordinate c y a.
  move=> ak; have ak' : a != k' %% c by rewrite -kk.
  case: shared => [-> //|goal|[b [m [z on]]]].
    by rewrite -(embedding_axis x ak) goal embedding_axis.
  have [[zx zy] bk] : (on_line b z x /\ on_line b z y) /\ b = k %% c.
    case: on => /andP[/andP[/andP[-> ->] up] _]; split=> //;
      by apply: (@moved_axis _ x _ m); rewrite up ?orbT.
  by rewrite (line_coordinate zx) ?bk // (line_coordinate zy) ?bk.
split=> //.
  apply: contraNneq apart => -[levels same]; apply/eqP; congr pair.
    by apply: val_inj; rewrite /= (divn_eq k c) levels kk -divn_eq.
  by apply: coordinates_inj => a _; have [->|/off] := eqVneq a (k %% c).
case=> source goal right left.
have moved (j : 'I_(c * e)) z (jk : j %% c = k %% c) :
    coordinate c (neighbour j z) (k %% c) = partner (j %/ c) (coordinate c z (k %% c)).
  exact: neighbour_num.
case: shared => [same|same|[b [m [z on]]]].
- by move: source; rewrite same eqxx.
- by move: goal; rewrite -!moved // same eqxx.
have bk : b = k %% c.
  by apply: (@moved_axis _ x _ m); case: on => /andP[/andP[_ ->] _]; rewrite ?orbT.
rewrite bk !moved // in on; have := right m; have := left m; rewrite /goes_right /goes_left.
by case: on => /andP[/andP[_ ->] ->].
Qed.

Lemma share_other k x k' y : share k x k' y -> k %% c != k' %% c ->
  x = y \/ neighbour k x = neighbour k' y.
Proof.
move=> [->|same|[a [m [z on]]]]; [by left|by right|move/eqP=> []].
have [-> <-] // : k %% c = a /\ a = k' %% c.
split; [symmetry; apply: (@moved_axis _ x _ m)|apply: (@moved_axis _ y _ m)];
  by case: on => /andP[/andP[_ xm] ym]; rewrite ?xm ?ym ?orbT.
Qed.

(** ** Sums of groups *)

Lemma sum_neighbour (w : nat -> nat) u v k x :
  (forall r, u <= r < v -> r %% c = k %% c -> w r <= k %/ c) ->
  \sum_(u <= r < v) coordinate c (neighbour k x) (r %% c) %% 2 ^ w r
  = \sum_(u <= r < v) coordinate c x (r %% c) %% 2 ^ w r.
Proof.
move=> low; apply: eq_big_nat => r ur; have [rk|rk] := eqVneq (r %% c) (k %% c).
  have kc : k %% c < c by rewrite ltn_mod.
  by rewrite rk (neighbour_num c0 kc) // partner_mod // low.
by rewrite embedding_axis.
Qed.

(* Where all other groups are the same, sums that agree modulo h show that this one is. *)
Lemma same_group (w : nat -> nat) u v q h x y : v <= u + c -> u <= q < v -> 2 ^ w q <= h ->
  (forall a, a != q %% c -> coordinate c x a = coordinate c y a) ->
  \sum_(u <= r < v) coordinate c x (r %% c) %% 2 ^ w r
    = \sum_(u <= r < v) coordinate c y (r %% c) %% 2 ^ w r %[mod h] ->
  coordinate c x (q %% c) %% 2 ^ w q = coordinate c y (q %% c) %% 2 ^ w q.
Proof.
move=> vu uq le_h off; have qin : q \in index_iota u v by rewrite mem_index_iota.
have split z : \sum_(u <= r < v) coordinate c z (r %% c) %% 2 ^ w r
    = coordinate c z (q %% c) %% 2 ^ w q
      + \sum_(u <= r < v | r != q) coordinate c z (r %% c) %% 2 ^ w r.
  by rewrite (bigD1_seq q) ?iota_uniq.
have rest : \sum_(u <= r < v | r != q) coordinate c x (r %% c) %% 2 ^ w r
    = \sum_(u <= r < v | r != q) coordinate c y (r %% c) %% 2 ^ w r.
  rewrite big_nat_cond [RHS]big_nat_cond; apply: eq_bigr => r /andP[ur rq]; rewrite off //.
  by apply: contraNneq rq => axis; rewrite (@window_axis c u q r) //; lia.
have small z : coordinate c z (q %% c) %% 2 ^ w q < h.
  by apply: (leq_trans _ le_h); rewrite ltn_mod expn_gt0.
by rewrite !split rest => /eqP; rewrite eqn_modDr !(modn_small (small _ _)) => /eqP.
Qed.

(** ** Property 2 *)

Lemma wider u n n' q : n <= n' -> u <= q < u + n -> u <= q < u + n'.
Proof. by move=> nn /andP[-> /leq_trans->] //; rewrite leq_add2l. Qed.

Lemma ceil1 n : 0 < n <= c -> (n + c.-1) %/ c = 1.
Proof.
move=> n1; rewrite (_ : n + c.-1 = 1 * c + n.-1); last by lia.
by rewrite divnMDl // divn_small //; lia.
Qed.

Lemma ceil2 n : c < n <= 2 * c -> (n + c.-1) %/ c = 2.
Proof.
move=> n2; rewrite (_ : n + c.-1 = 2 * c + (n - c.+1)); last by lia.
by rewrite divnMDl // divn_small //; lia.
Qed.

Lemma single_load i M q : M <= c -> i <= q < i + M -> 2 ^ (q %/ c) <= mesh_bound i M.
Proof.
move=> Mc iq; have M0 : 0 < M by lia.
have [/(_ (q - i)) + _] := calmant_theorem_3_numbers i c0 M0.
rewrite leq_min /axis_load ceil1 ?subnKC ?line_load1; try lia.
by rewrite /mesh_bound leq_max => -> //; lia.
Qed.

(* Its steps are as few as any schedule has to take. *)
(** Claims: calmant.prop2. *)
Theorem calmant_property_2 i M : 0 < M <= c -> i + M <= c * e ->
  mesh_conflict_free i M (single_step i M) /\
  forall k x, single_step i M k x < mesh_bound i M.
Proof.
move=> /andP[M0 Mc] fits; have B0 : M <= mesh_bound i M by rewrite leq_max leqnn orbT.
split=> [k x k' y ik ik' apart same shared|k x]; last by rewrite ltn_mod; lia.
have own z (j : 'I_(c * e)) : i <= j < i + M -> groups i M (neighbour j z) = groups i M z.
  move=> ij; apply: sum_neighbour => r ir rj.
  by rewrite (@window_axis c i r j) // (wider Mc).
have [kk|kk] := eqVneq (k %% c) (k' %% c).
  have kE : k = k' by apply: val_inj; apply: (@window_axis c i) => //; apply: (wider Mc).
  have [off levels no] := share_axis shared kk apart; apply: no; rewrite -kE.
  apply: single_free; first by apply: contraNneq levels => ->; rewrite kE.
  apply: (@same_group (divn^~ c) i (i + M) k (mesh_bound i M)) => //; first by rewrite leq_add2l.
    exact: single_load.
  by move/eqP: same; rewrite /single_step -kE eqn_modDr => /eqP.
have sums : groups i M x = groups i M y.
  by case: (share_other shared kk) => [-> //|goal]; rewrite -(own x k) // goal own.
move/eqP: same; rewrite /single_step sums eqn_modDl => /eqP same.
by case/eqP: kk; rewrite (@window_axis (mesh_bound i M) i k k') ?(wider B0).
Qed.

(** ** Properties 1 and 3 *)

Section Pairs.

Variables (i M : nat).
Hypotheses (cM : c < M <= 2 * c) (fits : i + M <= c * e).
Local Notation u := (i + M - c).
Local Notation B := (mesh_bound i M).
Local Notation h := (uphalf B).

Lemma upperP (k : nat) : i <= k < i + M -> [/\ u <= upper i M k < i + M,
  upper i M k %% c = k %% c, upper i M k %/ c = k %/ c + (k != upper i M k)
  & (k == upper i M k) || (k + c == upper i M k)].
Proof.
move=> ik; rewrite /upper; case: ltnP => ku; last by rewrite eqxx addn0; split=> //; lia.
rewrite eqxx orbT modnDr divnDr ?dvdnn // divnn c0; split=> //; first by lia.
by have -> : (k != k + c) = true by lia.
Qed.

Lemma pair_load q : u <= q < i + M -> 2 ^ (q %/ c) <= mesh_load i M c.
Proof.
move=> uq; have M0 : 0 < M by lia.
have [bound _] := calmant_theorem_3_numbers i c0 M0; have [low|high] := ltnP q (i + c).
  by have := bound (q - i); rewrite leq_min /axis_load ceil1 ?subnKC ?line_load1; lia.
have := bound (q - c - i); rewrite leq_min /axis_load ceil2 ?subnKC; try lia.
rewrite line_loadSS line_load0 add0n addn0 => le; apply: leq_trans (le _); last by lia.
have cq : c <= q by lia.
by rewrite leq_exp2l // -{1}(subnK cq) divnDr ?dvdnn // divnn c0 addn1.
Qed.

Lemma pair_window q : u <= q < i + M -> u <= q < u + c.
Proof. by rewrite subnK //; lia. Qed.

Lemma pair_top : i + M <= u + c.
Proof. by rewrite subnK //; lia. Qed.

Lemma half_bound : 2 * h = B + odd B.
Proof. by lia. Qed.

Lemma half_gt0 : 0 < h.
Proof. by have := leq_maxr (mesh_load i M c) M; rewrite -/(mesh_bound i M); lia. Qed.

Lemma pair_group q : u <= q < i + M -> 2 ^ (q %/ c).-1 <= h.
Proof.
move=> /pair_load load; have : 2 ^ (q %/ c) <= B by rewrite leq_max load.
by case: (q %/ c) => [|l] /=; [have := half_gt0|rewrite expnS]; lia.
Qed.

Lemma turn_same q q' x : c <= h -> u <= q < i + M -> u <= q' < i + M ->
  turn i M q x = turn i M q' x -> q = q'.
Proof.
move=> ch uq uq' /eqP; rewrite /turn eqn_modDr eqn_modDl => /eqP.
by apply: (@window_axis h u); lia.
Qed.

Lemma pair_stepP k x : i <= k < i + M -> exists b : bool,
  pair_step i M k x = 2 * turn i M (upper i M k) x + b /\
  b = (((k %/ c).+1 == upper i M k %/ c)
       == pair_first (upper i M k %/ c) (2 * coordinate c x (k %% c))).
Proof.
move=> /upperP[_ _ levels _]; exists ((val k == upper i M k)
  != pair_first (upper i M k %/ c) (2 * coordinate c x (k %% c))); split=> //.
rewrite levels -[(k %/ c).+1]addn1 eqn_add2l /=.
by case: (_ == upper i M k); case: (pair_first _ _).
Qed.

Lemma turn_neighbour k q x : i <= k < i + M -> turn i M q (neighbour k x) = turn i M q x.
Proof.
move=> ik; rewrite /turn sum_neighbour // => r ur rk; have [uk axis levels _] := upperP ik.
have -> : r = upper i M k by apply: (@window_axis c u); rewrite ?axis // pair_window.
by rewrite levels; case: (_ != _); rewrite ?addn0 ?addn1 ?leq_pred.
Qed.

Lemma pair_free_turns : c <= h -> mesh_conflict_free i M (@pair_step i M).
Proof.
move=> ch k x k' y ik ik' apart same shared.
have [uk axis levels _] := upperP ik; have [uk' axis' levels' _] := upperP ik'.
have [b [kE bE]] := pair_stepP x ik; have [b' [kE' bE']] := pair_stepP y ik'.
have [turns bits] : turn i M (upper i M k) x = turn i M (upper i M k') y /\ b = b'.
  by apply: two_parts; rewrite -kE -kE'.
have [kk|kk] := eqVneq (k %% c) (k' %% c).
  have qq : upper i M k = upper i M k'.
    by apply: (@window_axis c u); rewrite ?axis ?axis' // pair_window.
  have [off pairs no] := share_axis shared kk apart.
  have same_groups : coordinate c x (upper i M k %% c) %% 2 ^ (upper i M k %/ c).-1
      = coordinate c y (upper i M k %% c) %% 2 ^ (upper i M k %/ c).-1.
    apply: (@same_group (fun r => (r %/ c).-1) u (i + M) _ h) => //.
    - exact: pair_top.
    - exact: pair_group.
    - by move=> a; rewrite axis; apply: off.
    by apply/eqP; move/eqP: turns; rewrite /turn -qq !eqn_modDr.
  apply: no; apply: meet_not_double.
  apply: (@pair_free (upper i M k %/ c)).
  - by rewrite levels; apply: one_of_two.
  - by rewrite qq levels'; apply: one_of_two.
  - by apply: contraNneq pairs => -[-> /eqP]; rewrite eqn_pmul2l // => /eqP ->.
  - move: same_groups; rewrite axis; case: (upper i M k %/ c) => [|l] group.
      by rewrite !modn1.
    by rewrite expnS -!muln_modr group.
  by rewrite -bE bits bE' qq kk.
have sums z : turn i M (upper i M k) z = turn i M (upper i M k') z -> False.
  by move/(turn_same ch uk uk') => qq; case/eqP: kk; rewrite -axis -axis' qq.
case: (share_other shared kk) => [xy|goal]; first by apply: (sums x); rewrite {2}xy.
apply: (sums (neighbour k x)); rewrite [LHS]turn_neighbour // goal.
by rewrite [RHS]turn_neighbour.
Qed.

Lemma pair_step_lt k x : pair_step i M k x < B + odd B.
Proof.
have := ltn_pmod (\sum_(u <= r < i + M) coordinate c x (r %% c) %% 2 ^ (r %/ c).-1
  + upper i M k + h.-1 * c) half_gt0.
by rewrite -half_bound /pair_step /turn; move: (_ %% h) => s; case: (_ != _); lia.
Qed.

(* Every axis at bit q div c of its longer dimension q; the one of q at g more. *)

Lemma corner : exists x, forall q, u <= q < i + M -> coordinate c x (q %% c) = 2 ^ (q %/ c).
Proof.
exists [ffun r : 'I_(c * e) => u <= r < i + M] => q uq.
have q_lt : q < c * e by case/andP: uq => _ /leq_trans->.
rewrite /coordinate (bigD1 (Ordinal q_lt)) //= ffunE uq mul1n big1 ?addn0 // => r.
move=> /andP[/eqP rq rq']; rewrite ffunE; have [ur|] := boolP (u <= r < i + M); last by [].
case/eqP: rq'; apply: val_inj.
by apply: (@window_axis c u); rewrite ?pair_window.
Qed.

Lemma bent q g : u <= q < i + M -> 2 * g < 2 ^ (q %/ c) -> exists x, forall r,
  u <= r < i + M -> coordinate c x (r %% c) = 2 ^ (r %/ c) + (r == q) * g.
Proof.
move=> uq small; have [y yE] := corner; have qc : q %% c < c by rewrite ltn_mod.
have q_lt : q %/ c < e by rewrite ltn_divLR // [e * c]mulnC; case/andP: uq => _ /leq_trans->.
have p_lt : 2 ^ (q %/ c) + g < 2 ^ e.
  by apply: leq_trans (_ : 2 ^ (q %/ c).+1 <= _); rewrite ?leq_exp2l // expnS; lia.
have := line_card c0 qc y (pred1 (2 ^ (q %/ c) + g)).
rewrite count_uniq_mem ?iota_uniq // mem_iota p_lt => /eqP/cards1P[x /setP/(_ x)].
rewrite !inE eqxx => /andP[line /eqP xE]; exists x => r ur.
have [->|rq] := eqVneq r q; first by rewrite xE mul1n.
rewrite mul0n addn0 -yE //; apply: (line_coordinate line); apply: contraNneq rq => axis.
by apply/eqP; apply: (@window_axis c u); rewrite ?pair_window.
Qed.

Lemma bent_step q g x (k : 'I_(c * e)) : u <= q < i + M -> u <= k < i + M ->
  2 * g < 2 ^ (q %/ c) ->
  (forall r, u <= r < i + M -> coordinate c x (r %% c) = 2 ^ (r %/ c) + (r == q) * g) ->
  pair_step i M k x = (2 * ((g + k + h.-1 * c) %% h)).+1.
Proof.
move=> uq uk small xE; have kE : upper i M k = k by rewrite /upper ltnNge; case/andP: uk => ->.
have low l g' : 2 * g' < 2 ^ l -> (2 ^ l + g') %% 2 ^ l.-1 = g'.
  case: l => [|l]; first by rewrite modn1; lia.
  by rewrite !expnS /= modnMDl => small'; rewrite modn_small //; lia.
have sums : \sum_(u <= r < i + M) coordinate c x (r %% c) %% 2 ^ (r %/ c).-1 = g.
  have qin : q \in index_iota u (i + M) by rewrite mem_index_iota.
  rewrite (bigD1_seq q) ?iota_uniq //= xE // eqxx mul1n low // big_nat_cond big1 ?addn0 //.
  by move=> r /andP[ur /negPf rq]; rewrite xE // rq low // expn_gt0.
have phase : pair_first (k %/ c) (2 * coordinate c x (k %% c)) = false.
  rewrite xE //; set g' := _ * g; have : 2 * g' < 2 ^ (k %/ c).
    by rewrite /g'; case: eqP => [->|_]; rewrite ?mul1n // mul0n muln0 expn_gt0.
  exact: bits_differ.
by rewrite /pair_step kE phase eqxx /turn sums addn1.
Qed.

Lemma crowded : h < c -> ~ mesh_conflict_free i M (@pair_step i M).
Proof.
move=> hc free; have uw : u <= u < i + M by lia.
have [x xE] := @bent u 0 uw (expn_gt0 _ _).
have in_ s : s < c -> u + s < c * e by lia.
have at_ s (sc : s < c) : pair_step i M (Ordinal (in_ s sc)) x
    = (2 * ((u + s + h.-1 * c) %% h)).+1.
  by rewrite (bent_step uw _ _ xE) ?expn_gt0 //=; lia.
apply: (free (Ordinal (in_ 0 c0)) x (Ordinal (in_ h hc)) x) => /=; try lia.
- by rewrite xpair_eqE eqxx andbT -val_eqE /= eqn_add2l; have := half_gt0; lia.
- by rewrite !at_ addn0 -addnA [h + _]addnC addnA modnDr.
exact: Or31.
Qed.

Lemma pair_mesh_load : mesh_load i M c = 2 ^ ((i + M).-1 %/ c).
Proof.
have [r rE] : exists r, M.-1 = 1 * c + r by exists (M.-1 - c); lia.
rewrite /mesh_load ceil2 // line_loadSS line_load0 add0n addn0 rE modnMDl modn_small; last by lia.
by rewrite (_ : (i + M).-1 = 1 * c + (i + r)) ?divnMDl //; lia.
Qed.

Lemma pair_load_even : ~~ odd (mesh_load i M c).
Proof.
by rewrite pair_mesh_load oddX negb_or /= andbT -lt0n divn_gt0 //; lia.
Qed.

Lemma crowded_load : c < h -> 2 * h = mesh_load i M c.
Proof.
have := pair_load_even; rewrite half_bound /mesh_bound; move: (mesh_load i M c) => L.
by have [ML|LM] := leqP M L; rewrite ?(maxn_idPl ML) ?(maxn_idPr (ltnW LM)); lia.
Qed.

Lemma last_step : exists k x, i <= k < i + M /\ (pair_step i M k x).+1 = B + odd B.
Proof.
have h0 := half_gt0; have lt_h : h.-1 < h by rewrite prednK.
suff [q [g [uq small turn_]]] : exists q g, [/\ u <= q < i + M, 2 * g < 2 ^ (q %/ c)
    & (g + q + h.-1 * c) %% h = h.-1].
  have [x xE] := bent uq small; have q_lt : q < c * e by case/andP: uq => _ /leq_trans->.
  exists (Ordinal q_lt), x; split; first by rewrite /=; lia.
  by rewrite (bent_step uq _ small xE) //= turn_ -half_bound; lia.
have [hc|ch] := leqP h c.
  have [s sh sE] := some_turn h0 (u + h.-1 * c) lt_h.
  exists (u + s), 0; rewrite expn_gt0 add0n addnAC; split=> //; lia.
have [g gh gE] := some_turn h0 ((i + M).-1 + h.-1 * c) lt_h.
exists (i + M).-1, g; split; [lia| |by rewrite -addnA addnC].
by rewrite -pair_mesh_load; have := crowded_load ch; lia.
Qed.

End Pairs.

(* What 4.2.3 says: two steps for each turn. It fails where axes are more than turns. *)
(** Claims: calmant.prop3.amended. *)
Theorem calmant_property_3 i M : c < M <= 2 * c -> i + M <= c * e ->
  let steps := mesh_bound i M + odd (mesh_bound i M) in
  [/\ mesh_conflict_free i M (@pair_step i M) <-> c <= uphalf (mesh_bound i M),
      forall k x, pair_step i M k x < steps
    & exists k x, i <= k < i + M /\ (pair_step i M k x).+1 = steps].
Proof.
move=> cM fits; split; [|exact: pair_step_lt|exact: last_step].
split; last exact: pair_free_turns; rewrite leqNgt => free; apply/negP=> hc.
exact: (crowded cM fits hc free).
Qed.

(** Claims: calmant.prop3.odd. *)
Theorem calmant_property_3_odd i M : c < M < 2 * c -> i + M <= c * e ->
  ~~ odd (mesh_load i M c)
  /\ (odd (mesh_bound i M) -> mesh_load i M c < M /\ odd M).
Proof.
move=> cM fits; have even : ~~ odd (mesh_load i M c) by apply: pair_load_even; lia.
by split=> //; rewrite /mesh_bound; case: leqP => // _; rewrite (negPf even).
Qed.

(* 4.2.1 in its own words, of the shorter dimensions k = i, ..., i+c-1, and its steps. *)
(** Claims: calmant.prop1. *)
Theorem calmant_property_1 i : i + 2 * c <= c * e ->
  [/\ mesh_conflict_free i (2 * c) (@pair_step i (2 * c)),
      forall k x, pair_step i (2 * c) k x < mesh_bound i (2 * c)
    & forall k k' x, i <= k < i + c -> k' = k + c :> nat ->
      let start := 2 * ((groups i c x + k) %% (mesh_bound i (2 * c) %/ 2)) in
      let longer := pair_first (k %/ c) (coordinate c x (k %% c)) in
      pair_step i (2 * c) k x = start + longer
      /\ pair_step i (2 * c) k' x = start + 1 - longer].
Proof.
move=> fits; have cM : c < 2 * c <= 2 * c by lia.
have evenB : ~~ odd (mesh_bound i (2 * c)).
  by have := pair_load_even cM (i := i); rewrite /mesh_bound; case: leqP; lia.
have halfE : uphalf (mesh_bound i (2 * c)) = mesh_bound i (2 * c) %/ 2 by lia.
have ch : c <= uphalf (mesh_bound i (2 * c)).
  by have := leq_maxr (mesh_load i (2 * c) c) (2 * c); rewrite -/(mesh_bound i (2 * c)); lia.
split=> [|k x|k k' x ik k'E]; first exact: pair_free_turns.
  by have := @pair_step_lt i _ cM fits k x; rewrite (negPf evenB) addn0.
have uE : i + 2 * c - c = i + c by lia.
have qE : upper i (2 * c) k = k + c by rewrite /upper uE; case/andP: ik => _ ->.
have qE' : upper i (2 * c) k' = k + c.
  by rewrite /upper uE k'E ltnNge leq_add2r; case/andP: ik => ->.
have shift : pair_first ((k + c) %/ c) (2 * coordinate c x (k %% c))
    = pair_first (k %/ c) (coordinate c x (k %% c)).
  by rewrite divnDr ?dvdnn // divnn c0 addn1 /pair_first !expnS !divnMl.
have turnE : turn i (2 * c) (k + c) x = (groups i c x + k) %% (mesh_bound i (2 * c) %/ 2).
  rewrite /turn halfE uE (_ : i + 2 * c = i + c + c); last by lia.
  rewrite big_addn addnK (_ : \sum_(i <= r < i + c) _ = groups i c x); last first.
    by apply: eq_big_nat => r _; rewrite modnDr divnDr ?dvdnn // divnn c0 addn1.
  have B0 : 0 < mesh_bound i (2 * c) %/ 2 by rewrite -halfE; lia.
  move: (mesh_bound _ _ %/ 2) B0 (groups _ _ _) => [//|h] _ s.
  by rewrite (_ : _ + _ = c * h.+1 + (s + k)) ?modnMDl //= mulnS [c * h]mulnC; lia.
have kc : (nat_of_ord k == k + c) = false by lia.
rewrite /pair_step -[val k]/(nat_of_ord k) -[val k']/(nat_of_ord k') qE qE' k'E shift turnE.
rewrite modnDr shift eqxx kc; by case: (pair_first _ _) => /=; split; lia.
Qed.

End Schedules.
