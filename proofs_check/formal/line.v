(* Diaz de Cerio, Valero-Garcia, Gonzalez: hypercube algorithms on a line, for every size.

   On a line of 2^d nodes node p exchanges with its partner p + 2^k or p - 2^k along dimension k;
   the messages use all links between them. Seen from the link between m and m+1, those that go
   right start in an interval: its length rises and falls with m as a triangular wave of period
   2^(k+1) (Lemma 4). Two consecutive waves add up to 2^(k+1) at most, and to just that where bits k
   and k+1 of m differ; so the dimensions are taken in pairs from the top, and one m with bits that
   alternate is at all the tops at once (Theorem 1).

   A schedule gives every message its step. The messages that cross one link in one direction need
   different steps, so no schedule is shorter than the load (Theorem 2). The paper's takes the pairs
   of dimensions one after another, and in a pair one residue of p modulo 2^k after another: the
   four nodes of a residue in a block of 2^(k+2) exchange both ways in two steps.

   partner k p == the node that p exchanges with along dimension k
   goes_right k m p == p's message along k crosses the link between m and m+1 to the right
   goes_left k m p == it crosses that link to the left
   right_load d i M m == how many messages along i, ..., i+M-1 do so, on 2^d nodes
   left_load d i M m == how many cross it to the left
   wave k m == m mod 2^k + 1 in the first half of a period 2^(k+1), else 2^k - m mod 2^k - 1
   line_load i M == (2^(i+M+1) - 2^i) / 3 for odd M, (2^(i+M+1) - 2^(i+1)) / 3 for even M
   messages d i M == all pairs of a dimension i, ..., i+M-1 and a node
   conflict s x y == messages x and y have one step, and one source, one destination or a link
      in one direction in common
   conflict_free d i M s == no two messages are in conflict
   pair_first j p == bits j and j+1 of p are equal: p uses dimension j+1 first
   line_step i M k p == the step of p's message along k in the paper's schedule
   axis_load i M c j == the load of [i, M] on axis i + j mod c of c axes
   mesh_load i M c == the load of [i, M] on c axes, as Theorem 3 has it *)

From mathcomp Require Import all_ssreflect zify.
From lcc Require Import utility.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Messages on a line *)

Definition partner k p := if p %% 2 ^ k.+1 < 2 ^ k then p + 2 ^ k else p - 2 ^ k.

Definition goes_right k m p := (p <= m) && (m < partner k p).
Definition goes_left k m p := (partner k p <= m) && (m < p).

Definition right_load d i M m :=
  sumn [seq count (goes_right k m) (iota 0 (2 ^ d)) | k <- iota i M].
Definition left_load d i M m :=
  sumn [seq count (goes_left k m) (iota 0 (2 ^ d)) | k <- iota i M].

Lemma right_loadE d i M m :
  right_load d i M m = \sum_(k <- iota i M) count (goes_right k m) (iota 0 (2 ^ d)).
Proof. by rewrite /right_load sumnE big_map. Qed.

Lemma left_loadE d i M m :
  left_load d i M m = \sum_(k <- iota i M) count (goes_left k m) (iota 0 (2 ^ d)).
Proof. by rewrite /left_load sumnE big_map. Qed.

Definition wave k m :=
  if m %% 2 ^ k.+1 < 2 ^ k then (m %% 2 ^ k).+1 else 2 ^ k - (m %% 2 ^ k).+1.

Definition line_load i M := if odd M
  then (2 ^ (i + M).+1 - 2 ^ i) %/ 3 else (2 ^ (i + M).+1 - 2 ^ i.+1) %/ 3.

Lemma goes_right_interval k m p :
  goes_right k m p = if m %% 2 ^ k.+1 < 2 ^ k then m - m %% 2 ^ k.+1 <= p < m.+1
                     else m.+1 - 2 ^ k <= p < m - m %% 2 ^ k.+1 + 2 ^ k.
Proof.
rewrite /goes_right /partner expnS; have : 0 < 2 ^ k by rewrite expn_gt0.
move: (2 ^ k) => K K0; have := divn_eq p (2 * K); have := divn_eq m (2 * K).
have : m %% (2 * K) < 2 * K by rewrite ltn_mod; lia.
have : p %% (2 * K) < 2 * K by rewrite ltn_mod; lia.
move: (m %% _) (p %% _) (m %/ _) (p %/ _) => r r' q q' lt_r' lt_r mE pE.
rewrite {}mE {}pE; case: (ltngtP q q') => [/(@blocks_apart (2 * K))|/(@blocks_apart (2 * K))|<-];
  [move: (q * _) (q' * _) => X Y|move: (q * _) (q' * _) => X Y|move: (q * _) => X];
  case: (ltnP r K); case: (ltnP r' K); lia.
Qed.

Lemma goes_left_interval k m p :
  goes_left k m p = if m %% 2 ^ k.+1 < 2 ^ k
                    then m - m %% 2 ^ k.+1 + 2 ^ k <= p < m.+1 + 2 ^ k
                    else m.+1 <= p < m - m %% 2 ^ k.+1 + 2 * 2 ^ k.
Proof.
rewrite /goes_left /partner expnS; have : 0 < 2 ^ k by rewrite expn_gt0.
move: (2 ^ k) => K K0; have := divn_eq p (2 * K); have := divn_eq m (2 * K).
have : m %% (2 * K) < 2 * K by rewrite ltn_mod; lia.
have : p %% (2 * K) < 2 * K by rewrite ltn_mod; lia.
move: (m %% _) (p %% _) (m %/ _) (p %/ _) => r r' q q' lt_r' lt_r mE pE.
rewrite {}mE {}pE; case: (ltngtP q q') => [/(@blocks_apart (2 * K))|/(@blocks_apart (2 * K))|<-];
  [move: (q * _) (q' * _) => X Y|move: (q * _) (q' * _) => X Y|move: (q * _) => X];
  case: (ltnP r K); case: (ltnP r' K); lia.
Qed.

(** ** Lemma 4 *)

Lemma block_fits d k m : k < d -> m < 2 ^ d -> m - m %% 2 ^ k.+1 + 2 * 2 ^ k <= 2 ^ d.
Proof.
move=> kd; have -> : 2 ^ d = 2 ^ (d - k.+1) * 2 ^ k.+1 by rewrite -expnD subnK.
rewrite -ltn_divLR ?expn_gt0 // => /(blocks_apart (2 ^ k.+1)).
rewrite {2}(divn_eq m (2 ^ k.+1)) addnK expnS; lia.
Qed.

(** Claims: calmant.lem4. *)
Theorem calmant_lemma_4 d k m : k < d -> m.+1 < 2 ^ d ->
  count (goes_right k m) (iota 0 (2 ^ d)) = wave k m /\
  count (goes_left k m) (iota 0 (2 ^ d)) = wave k m.
Proof.
move=> kd md; have := @mod_double (2 ^ k) m; rewrite -expnS => mk.
have := block_fits kd (ltnW md).
have : m %% 2 ^ k.+1 < 2 * 2 ^ k by rewrite -expnS ltn_mod expn_gt0.
have le_m := leq_mod m (2 ^ k.+1).
rewrite (eq_count (goes_right_interval k m)) (eq_count (goes_left_interval k m)).
rewrite /wave mk ?expn_gt0 //.
have K0 : 0 < 2 ^ k by rewrite expn_gt0.
move: (2 ^ d) (2 ^ k) (m %% _) md le_m K0 => D K r md le_m K0.
case: (ltnP r K) => rK lt_r fits /=; rewrite !count_interval; lia.
Qed.

(** ** Theorem 1 *)

Lemma wave_le k m : wave k m <= 2 ^ k.
Proof.
rewrite /wave; have : m %% 2 ^ k < 2 ^ k by rewrite ltn_mod expn_gt0.
by case: ifP; lia.
Qed.

Lemma wave_mod k m m' : m %% 2 ^ k.+1 = m' %% 2 ^ k.+1 -> wave k m = wave k m'.
Proof.
move=> same; rewrite /wave same; have : 2 ^ k %| 2 ^ k.+1 by rewrite dvdn_exp2l.
by move=> div; rewrite -(modn_dvdm m div) same modn_dvdm.
Qed.

(* Two waves together, by the place of m in a period of both. *)
Lemma two_waves k m : wave k m + wave k.+1 m =
  if m %% (4 * 2 ^ k) < 2 ^ k then 2 * (m %% (4 * 2 ^ k)).+1
  else if m %% (4 * 2 ^ k) < 3 * 2 ^ k then 2 * 2 ^ k
  else 2 * (4 * 2 ^ k - (m %% (4 * 2 ^ k)).+1).
Proof.
rewrite /wave !expnS; have : 0 < 2 ^ k by rewrite expn_gt0.
move: (2 ^ k) => K K0; rewrite mulnA (_ : 2 * 2 = 4) //.
have K20 : 0 < 2 * K by lia.
rewrite (mod_double m K0) (mod_double m K20) mulnA (_ : 2 * 2 = 4) //.
have : m %% (4 * K) < 4 * K by rewrite ltn_mod; lia.
move: (m %% _) => r lt_r.
case: (ltnP r (2 * K)) => r2; [case: (ltnP r K) => rK|case: (ltnP (r - 2 * K) K) => rK];
  case: (ltnP r K) => ?; case: (ltnP r (3 * K)) => ?; lia.
Qed.

Lemma two_waves_le k m : wave k m + wave k.+1 m <= 2 ^ k.+1.
Proof.
rewrite two_waves expnS; have : m %% (4 * 2 ^ k) < 4 * 2 ^ k by rewrite ltn_mod muln_gt0 expn_gt0.
by move: (2 ^ k) (m %% _) => K r; case: (ltnP r K); case: (ltnP r (3 * K)); lia.
Qed.

Lemma line_load_exact i M :
  3 * line_load i M + (if odd M then 2 ^ i else 2 ^ i.+1) = 2 ^ (i + M).+1.
Proof.
have third n : exists x, 3 * x + (if odd n then 2 ^ i else 2 ^ i.+1) = 2 ^ (i + n).+1.
  elim/ltn_ind: n => -[|[|n]] IH.
  - by exists 0; rewrite addn0 muln0.
  - by exists (2 ^ i); rewrite addn1 !expnS /=; lia.
  have [x xE] := IH n (ltnW (leqnn _)); exists (x + 2 ^ (i + n).+1); rewrite /= negbK.
  by rewrite !addnS !expnS in xE *; case: (odd n) xE; lia.
have [x xE] := third M; rewrite /line_load -xE; case: (odd M); by rewrite addnK mulKn.
Qed.

Lemma line_load0 i : line_load i 0 = 0.
Proof. by have := line_load_exact i 0; rewrite addn0 /=; lia. Qed.

Lemma line_load1 i : line_load i 1 = 2 ^ i.
Proof. by have := line_load_exact i 1; rewrite addn1 /= !expnS; lia. Qed.

Lemma line_loadSS i M : line_load i M.+2 = line_load i M + 2 ^ (i + M).+1.
Proof.
have := line_load_exact i M.+2; have := line_load_exact i M; rewrite /= negbK !addnS !expnS.
by case: (odd M); lia.
Qed.

Lemma waves_le i M m : \sum_(k <- iota i M) wave k m <= line_load i M.
Proof.
elim/ltn_ind: M => -[|[|M]] IH; first by rewrite big_nil.
  by rewrite big_seq1 line_load1 wave_le.
rewrite -[in iota _ _]addn2 iotaD big_cat /= !big_cons big_nil addn0 line_loadSS.
by apply: leq_add; [apply: IH; lia|apply: two_waves_le].
Qed.

Lemma waves_top i M : exists m, [/\ m < 2 ^ (i + M), M > 0 -> m.+1 < 2 ^ (i + M)
  & \sum_(k <- iota i M) wave k m = line_load i M].
Proof.
elim/ltn_ind: M => -[|[|M]] IH; first by exists 0; rewrite big_nil line_load0 expn_gt0.
  exists (2 ^ i).-1; rewrite big_seq1 line_load1 addn1 expnS /wave expnS.
  have K0 : 0 < 2 ^ i by rewrite expn_gt0.
  by rewrite !modn_small; try lia; split=> [|_|]; [lia|lia|case: ifP; lia].
have [m [lt_m _ top]] := IH M (ltnW (leqnn _)); pose K := 2 ^ (i + M).
exists (m + K); rewrite !addnS !expnS -/K; split=> [|_|]; [lia|lia|].
rewrite -[in iota _ _]addn2 iotaD big_cat /= !big_cons big_nil addn0 line_loadSS -top.
congr (_ + _).
  rewrite !big_seq; apply: eq_bigr => k; rewrite mem_iota => /andP[_ lt_k]; apply: wave_mod.
  have /eqP KE : K %% 2 ^ k.+1 == 0 by rewrite -/(dvdn _ _) dvdn_exp2l.
  by rewrite -modnDmr KE addn0.
rewrite two_waves -/K modn_small ?expnS -/K; last lia.
by rewrite ifN ?ifT //; lia.
Qed.

Lemma loads_wave d i M m : i + M <= d -> m.+1 < 2 ^ d ->
  right_load d i M m = \sum_(k <- iota i M) wave k m /\
  left_load d i M m = \sum_(k <- iota i M) wave k m.
Proof.
move=> fits lt_m; have each k : k \in iota i M -> k < d by rewrite mem_iota; lia.
rewrite right_loadE left_loadE !big_seq; split; apply: eq_bigr => k /each kd.
  by have [-> _] := calmant_lemma_4 kd lt_m.
by have [_ ->] := calmant_lemma_4 kd lt_m.
Qed.

(* The busiest link of the line, either way. *)
(** Claims: calmant.thm1. *)
Theorem calmant_theorem_1 d i M : i + M <= d ->
  (forall m, m.+1 < 2 ^ d ->
     right_load d i M m <= line_load i M /\ left_load d i M m <= line_load i M) /\
  (M > 0 -> exists m, [/\ m.+1 < 2 ^ d, right_load d i M m = line_load i M
                        & left_load d i M m = line_load i M]).
Proof.
move=> fits; split=> [m lt_m|M0].
  by have [-> ->] := loads_wave fits lt_m; rewrite waves_le.
have [m [_ /(_ M0) lt_m top]] := waves_top i M; exists m.
have lt_d : m.+1 < 2 ^ d by apply: leq_trans lt_m _; rewrite leq_exp2l.
by have [-> ->] := loads_wave fits lt_d.
Qed.

(** ** Theorem 2 *)

Definition messages d i M := [seq (k, p) | k <- iota i M, p <- iota 0 (2 ^ d)].

(* Two messages (dimension, source) that have one step and meet. *)
Definition conflict d (s : nat -> nat -> nat) (x y : nat * nat) :=
  [&& x != y, s x.1 x.2 == s y.1 y.2
    & [|| x.2 == y.2, partner x.1 x.2 == partner y.1 y.2
        | has (fun m => goes_right x.1 m x.2 && goes_right y.1 m y.2
                        || goes_left x.1 m x.2 && goes_left y.1 m y.2) (iota 0 (2 ^ d))]].

Definition conflict_free d i M s :=
  all (fun x => all (fun y => ~~ conflict d s x y) (messages d i M)) (messages d i M).

Lemma mem_messages d i M x :
  (x \in messages d i M) = (i <= x.1 < i + M) && (x.2 < 2 ^ d).
Proof.
apply/allpairsP/andP=> [[[k p] /= [ki pd ->]]|[ki pd]].
  by move: ki pd; rewrite !mem_iota /= add0n.
by exists x; rewrite !mem_iota ki; split=> //; case: x {ki pd}.
Qed.

Lemma messages_uniq d i M : uniq (messages d i M).
Proof. by apply: allpairs_uniq => [||[? ?] [? ?] _ _ [-> ->]] //; apply: iota_uniq. Qed.

(* Messages that a set of pairwise conflicting ones has need as many steps. *)
Lemma steps_needed d i M s T (P : pred (nat * nat)) : conflict_free d i M s ->
  {in messages d i M, forall x, s x.1 x.2 < T} ->
  (forall x y, x \in messages d i M -> y \in messages d i M -> P x -> P y ->
     x != y -> s x.1 x.2 = s y.1 y.2 -> conflict d s x y) ->
  count P (messages d i M) <= T.
Proof.
move=> /allP free lt_T meet; rewrite -size_filter.
rewrite -(size_map (fun x => s x.1 x.2)) -[T](size_iota 0).
apply: uniq_leq_size => [|t /mapP[x]]; last first.
  by rewrite mem_filter => /andP[_ xM] ->; rewrite mem_iota lt_T.
rewrite map_inj_in_uniq ?filter_uniq ?messages_uniq // => x y.
rewrite !mem_filter => /andP[Px xM] /andP[Py yM] same; apply/eqP/negPn/negP=> xy.
by have /allP/(_ y yM) := free x xM; rewrite meet.
Qed.

Lemma load_count d i M m :
  right_load d i M m = count (fun x => goes_right x.1 m x.2) (messages d i M).
Proof.
rewrite right_loadE /messages; elim: (iota i M) => [|k l IH]; first by rewrite big_nil.
by rewrite big_cons IH /= count_cat count_map.
Qed.

Lemma load_ge i M : M <= line_load i M.
Proof.
elim/ltn_ind: M => -[|[|M]] IH //; first by rewrite line_load1 expn_gt0.
rewrite line_loadSS expnS; have := IH M (ltnW (leqnn _)).
have : 0 < 2 ^ (i + M) by rewrite expn_gt0.
lia.
Qed.

(* No schedule takes fewer steps than the load, which is as much as the messages of a node. *)
(** Claims: calmant.thm2. *)
Theorem calmant_theorem_2 d i M s T : i + M <= d -> conflict_free d i M s ->
  {in messages d i M, forall x, s x.1 x.2 < T} -> line_load i M <= T /\ M <= line_load i M.
Proof.
move=> fits free lt_T; split; last exact: load_ge.
have [->|M0] := posnP M; first by rewrite line_load0.
have [_ /(_ M0)[m [lt_m <- _]]] := calmant_theorem_1 fits; rewrite load_count.
apply: (steps_needed free lt_T) => x y _ _ Px Py xy same.
rewrite /conflict xy same eqxx /=; apply/orP; right; apply/orP; right.
by apply/hasP; exists m; rewrite ?mem_iota ?Px ?Py //; lia.
Qed.

(** ** The paper's schedule *)

Definition pair_first j p := odd (p %/ 2 ^ j) == odd (p %/ 2 ^ j.+1).

Fixpoint line_step i M k p := match M with
  | 0 => 0
  | 1 => p %% 2 ^ i
  | M'.+2 => if k < i + M' then line_step i M' k p else
      line_load i M' + 2 * (p %% 2 ^ (i + M')) + ((k == i + M') == pair_first (i + M') p)
  end.

Lemma line_step_lt i M k p : i <= k < i + M -> line_step i M k p < line_load i M.
Proof.
elim/ltn_ind: M k => -[|[|M]] IH k; first by lia.
  by rewrite /= line_load1 ltn_mod expn_gt0.
rewrite line_loadSS /= expnS => fits; case: (ltnP k (i + M)) => [lt_k|_].
  by have := IH M (ltnW (leqnn _)) k; lia.
have : p %% 2 ^ (i + M) < 2 ^ (i + M) by rewrite ltn_mod expn_gt0.
have := leq_b1 ((k == i + M) == pair_first (i + M) p).
by move: (nat_of_bool _) (line_load i M) (2 ^ (i + M)) (p %% _) => b L K r; lia.
Qed.

(* In blocks of four residues p = 4 K u + K a + g, K = 2^j. *)
Lemma quarter j p : exists u a g,
  [/\ p = u * (4 * 2 ^ j) + a * 2 ^ j + g, a < 4 & g < 2 ^ j].
Proof.
have K0 : 0 < 2 ^ j by rewrite expn_gt0.
exists (p %/ (4 * 2 ^ j)), (p %% (4 * 2 ^ j) %/ 2 ^ j), (p %% (4 * 2 ^ j) %% 2 ^ j).
by rewrite -addnA -!divn_eq ltn_divLR // !ltn_mod muln_gt0 K0.
Qed.

Section Quarter.

Variables (j u a g : nat).
Hypotheses (a4 : a < 4) (gK : g < 2 ^ j).
Let p := u * (4 * 2 ^ j) + a * 2 ^ j + g.

Lemma quarter_residue : p %% 2 ^ j = g.
Proof. by rewrite /p mulnA -mulnDl modnMDl modn_small. Qed.

Lemma quarter_odd : odd (p %/ 2 ^ j) = odd a.
Proof.
have K0 : 0 < 2 ^ j by rewrite expn_gt0.
by rewrite /p mulnA -mulnDl divnMDl // divn_small // addn0 oddD oddM andbF.
Qed.

Lemma half_rest : (a < 2) = (p %% (4 * 2 ^ j) < 2 * 2 ^ j).
Proof.
have K0 : 0 < 2 ^ j by rewrite expn_gt0.
rewrite /p -addnA modnMDl; move: (2 ^ j) gK K0 => K gK' K0.
by move: a4; case: a => [|[|[|[|//]]]] _; rewrite modn_small; lia.
Qed.

Lemma quarter_high : odd (p %/ 2 ^ j.+1) = (1 < a).
Proof.
have K0 : 0 < 2 ^ j by rewrite expn_gt0.
rewrite expnS /p -addnA (_ : u * (4 * 2 ^ j) = (2 * u) * (2 * 2 ^ j)); last by lia.
rewrite divnMDl ?muln_gt0 ?K0 // oddD oddM /=; move: (2 ^ j) gK K0 => K gK' K0.
move: a4; case: a => [|[|[|[|//]]]] _.
- by rewrite divn_small //; lia.
- by rewrite divn_small //; lia.
- by rewrite (_ : 2 * K + g = 1 * (2 * K) + g) ?divnMDl ?divn_small //; lia.
by rewrite (_ : 3 * K + g = 1 * (2 * K) + (K + g)) ?divnMDl ?divn_small //; lia.
Qed.

Lemma quarter_partner :
  partner j p = u * (4 * 2 ^ j) + (if odd a then a.-1 else a.+1) * 2 ^ j + g.
Proof.
have K0 : 0 < 2 ^ j by rewrite expn_gt0.
rewrite /partner expnS /p -addnA.
rewrite [in _ %% _](_ : u * (4 * 2 ^ j) = (2 * u) * (2 * 2 ^ j)); last by lia.
rewrite modnMDl; move: (2 ^ j) gK K0 => K gK' K0; move: (u * _) => X.
move: a4; case: a => [|[|[|[|//]]]] _ /=.
- by rewrite modn_small ?ifT //; lia.
- by rewrite modn_small ?ifN //; lia.
- by rewrite modnDl modn_small ?ifT //; lia.
rewrite (_ : 3 * K + g = 1 * (2 * K) + (K + g)); last lia.
by rewrite modnMDl modn_small ?ifN //; lia.
Qed.

Lemma quarter_far :
  partner j.+1 p = u * (4 * 2 ^ j) + (if a < 2 then a + 2 else a - 2) * 2 ^ j + g.
Proof.
rewrite /partner !expnS mulnA (_ : 2 * 2 = 4) // -half_rest /p.
by move: (u * _) => X; move: a4; case: a => [|[|[|[|//]]]] _ /=; lia.
Qed.

End Quarter.

Definition meet_not k p k' p' := [/\ p != p', partner k p != partner k' p',
  forall m, ~~ (goes_right k m p && goes_right k' m p')
  & forall m, ~~ (goes_left k m p && goes_left k' m p')].

Lemma pair_free j k p k' p' : j <= k < j.+2 -> j <= k' < j.+2 -> (k, p) != (k', p') ->
  p %% 2 ^ j = p' %% 2 ^ j ->
  ((k == j) == pair_first j p) = ((k' == j) == pair_first j p') -> meet_not k p k' p'.
Proof.
have [u [a [g [pE a4 gK]]]] := quarter j p; have [u' [a' [g' [pE' a4' gK']]]] := quarter j p'.
move=> jk jk' apart; rewrite /meet_not /goes_right /goes_left /pair_first pE pE'.
rewrite !quarter_residue // !quarter_odd // !quarter_high // => gg; move: apart.
rewrite {}pE {}pE' {}gg in a4 gK *.
have kE : k = j \/ k = j.+1 by lia.
have kE' : k' = j \/ k' = j.+1 by lia.
have jj : (j.+1 == j) = false by lia.
have K0 : 0 < 2 ^ j by rewrite expn_gt0.
have := @blocks_apart (4 * 2 ^ j) u u'; have := @blocks_apart (4 * 2 ^ j) u' u.
case: kE => ->; case: kE' => ->; rewrite ?eqxx ?jj ?quarter_partner ?quarter_far // xpair_eqE;
  rewrite ?eqxx ?jj /=; move: (2 ^ j) K0 gK gK' => K K0 _ gK';
  move: a4 a4'; case: a => [|[|[|[|//]]]] _; case: a' => [|[|[|[|//]]]] _ //=;
  (case: (ltngtP u u') => [_|_|->] far' far apart _; move: far' far apart;
  [move: (u * _) (u' * _) => X Y _ /(_ isT)|move: (u * _) (u' * _) => X Y /(_ isT) ? _|
   move: (u' * _) => X _ _]);
  move=> *; (split=> [||m|m]); lia.
Qed.

Lemma single_free j p p' : p != p' -> p %% 2 ^ j = p' %% 2 ^ j -> meet_not j p j p'.
Proof.
have [u [a [g [pE a4 gK]]]] := quarter j p; have [u' [a' [g' [pE' a4' gK']]]] := quarter j p'.
move=> apart; rewrite /meet_not /goes_right /goes_left pE pE'.
rewrite !quarter_residue // => gg; move: apart.
rewrite {}pE {}pE' {}gg in a4 gK *.
have K0 : 0 < 2 ^ j by rewrite expn_gt0.
have := @blocks_apart (4 * 2 ^ j) u u'; have := @blocks_apart (4 * 2 ^ j) u' u.
rewrite !quarter_partner //; move: (2 ^ j) K0 gK gK' => K K0 _ gK';
  move: a4 a4'; case: a => [|[|[|[|//]]]] _; case: a' => [|[|[|[|//]]]] _ //=;
  (case: (ltngtP u u') => [_|_|->] far' far apart; move: far' far apart;
  [move: (u * _) (u' * _) => X Y _ /(_ isT)|move: (u * _) (u' * _) => X Y /(_ isT) ? _|
   move: (u' * _) => X _ _]);
  move=> *; (split=> [||m|m]); lia.
Qed.

Lemma line_step_pair i M k p : i + M <= k < i + M.+2 -> line_step i M.+2 k p =
  line_load i M + 2 * (p %% 2 ^ (i + M)) + ((k == i + M) == pair_first (i + M) p).
Proof. by move=> fits /=; rewrite ifN //; lia. Qed.

Lemma same_pair j a b a' b' : a < 2 ^ j -> a' < 2 ^ j ->
  2 * a + nat_of_bool b = 2 * a' + nat_of_bool b' -> a = a' /\ b = b'.
Proof. by case: b; case: b' => /=; lia. Qed.

Lemma line_step_free i M k p k' p' : i <= k < i + M -> i <= k' < i + M ->
  (k, p) != (k', p') -> line_step i M k p = line_step i M k' p' -> meet_not k p k' p'.
Proof.
elim/ltn_ind: M k k' => -[|[|M]] IH k k' fits fits' apart; first by lia.
  have kE : k = i by lia.
  have kE' : k' = i by lia.
  move: apart; rewrite {}kE {}kE' /= => apart same.
  by apply: single_free => //; move: apart; rewrite xpair_eqE eqxx.
move=> same; have [lt_k|le_k] := ltnP k (i + M); have [lt_k'|le_k'] := ltnP k' (i + M).
- apply: (IH M _ k k') => //; [lia|lia|by move: same; rewrite /= lt_k lt_k'].
- have := @line_step_lt i M k p; move: same; rewrite [LHS]/= lt_k line_step_pair; lia.
- have := @line_step_lt i M k' p'; move: same; rewrite [RHS]/= lt_k' line_step_pair; lia.
have rest x : x %% 2 ^ (i + M) < 2 ^ (i + M) by rewrite ltn_mod expn_gt0.
move: same; rewrite !line_step_pair; try lia.
rewrite -!(addnA (line_load i M)) => /addnI/(same_pair (rest p) (rest p'))[residue phase].
by apply: (@pair_free (i + M)) => //; lia.
Qed.

(* The paper's schedule has no conflict, and takes as many steps as any has to. *)
Theorem calmant_line_schedule d i M : i + M <= d ->
  conflict_free d i M (line_step i M) /\
  {in messages d i M, forall x, line_step i M x.1 x.2 < line_load i M}.
Proof.
move=> fits; split=> [|x]; last by rewrite mem_messages => /andP[ki _]; apply: line_step_lt.
apply/allP=> x; rewrite mem_messages => /andP[xi _].
apply/allP=> y; rewrite mem_messages => /andP[yi _]; apply/negP=> /and3P[xy /eqP same].
case: x y xi yi xy same => k p [k' p'] /= xi yi xy same.
have [/negPf-> /negPf-> right left] := line_step_free xi yi xy same.
by case/hasP=> m _ /orP[]; apply/negP.
Qed.

(* The two pieces that it is made of. *)
(** Claims: calmant.sched.i2. *)
Theorem calmant_pair_schedule d i : i + 2 <= d ->
  conflict_free d i 2 (fun k p => 2 * (p %% 2 ^ i) + ((k == i) == pair_first i p)) /\
  line_load i 2 = 2 ^ i.+1.
Proof.
move=> fits; split; last by rewrite line_loadSS line_load0 addn0.
have [free _] := calmant_line_schedule fits; apply/allP=> x xM; apply/allP=> y yM.
have step z : z \in messages d i 2 -> line_step i 2 z.1 z.2
    = 2 * (z.2 %% 2 ^ i) + ((z.1 == i) == pair_first i z.2).
  by rewrite mem_messages /= line_load0 addn0 add0n => /andP[zi _]; rewrite ifN //; lia.
by have := allP (allP free x xM) y yM; rewrite /conflict !step.
Qed.

(** Claims: calmant.sched.i1. *)
Theorem calmant_single_schedule d i : i + 1 <= d ->
  conflict_free d i 1 (fun k p => p %% 2 ^ i) /\ line_load i 1 = 2 ^ i.
Proof. by move=> /calmant_line_schedule[free _]; split; last exact: line_load1. Qed.

(* The loads of the pairs of dimensions, and of the single one, add up to the load of all. *)
(** Claims: calmant.lem1. *)
Theorem calmant_lemma_1 i M : line_load i M =
  (if odd M then line_load i 1 else 0) + \sum_(t < M %/ 2) line_load (i + odd M + 2 * t) 2.
Proof.
elim/ltn_ind: M => -[|[|M]] IH; first by rewrite big_ord0 line_load0.
  by rewrite big_ord0 addn0.
rewrite line_loadSS IH ?(ltnW (leqnn _)) // (_ : M.+2 %/ 2 = (M %/ 2).+1); last by lia.
rewrite big_ord_recr /= negbK -addnA; congr (_ + (_ + _)); rewrite line_loadSS line_load0.
by rewrite add0n addn0; congr (2 ^ _.+1); lia.
Qed.

(** ** Theorem 3: the numbers *)

Lemma line_load_up i M : line_load i M <= line_load i.+1 M.
Proof.
have := line_load_exact i.+1 M; have := line_load_exact i M; rewrite addSn !expnS.
case: (odd M); have : 2 ^ i <= 2 ^ (i + M) by rewrite leq_exp2l ?leq_addr.
  by move: (2 ^ i) (2 ^ (i + M)) => K L; lia.
by move: (2 ^ i) (2 ^ (i + M)) => K L; lia.
Qed.

Lemma line_load_mono i i' M : i <= i' -> line_load i M <= line_load i' M.
Proof.
move=> /subnK <-; elim: (i' - i) => [|n IH] //=; rewrite addSn.
exact: leq_trans IH (line_load_up _ _).
Qed.

(* So the lowest dimensions load a line least, and not below M. *)
(** Claims: calmant.thm2. *)
Theorem calmant_theorem_2_loads i M : M <= line_load 0 M <= line_load i M.
Proof. by rewrite load_ge line_load_mono. Qed.

Lemma line_load_shift i M : line_load i.+1 M <= line_load i M.+1.
Proof.
have := line_load_exact i.+1 M; have := line_load_exact i M.+1.
rewrite addSn addnS /= !expnS; case: (odd M) => /=; lia.
Qed.

(* The load of [i, M] on c axes, as the paper has it: axis i + j mod c carries ceil((M - j) / c)
   levels from (i + j) div c on. *)
Definition axis_load i M c j := line_load ((i + j) %/ c) ((M - j + c.-1) %/ c).

Definition mesh_load i M c := line_load ((i + M.-1 %% c) %/ c) ((M + c.-1) %/ c).

(* Of the axes the one of j = (M - 1) mod c carries most. *)
(** Claims: calmant.thm3.proof (the numbers). *)
Theorem calmant_theorem_3_numbers i M c : 0 < c -> 0 < M ->
  (forall j, j < minn c M -> axis_load i M c j <= mesh_load i M c) /\
  (M.-1 %% c < minn c M /\ axis_load i M c (M.-1 %% c) = mesh_load i M c).
Proof.
move=> c0 M0; rewrite /axis_load /mesh_load.
have := divn_eq M.-1 c; have := ltn_pmod M.-1 c0; move: (M.-1 %% c) (M.-1 %/ c) => s q lt_s ME.
have whole j : j <= s -> (M - j + c.-1) %/ c = q.+1.
  move=> js; rewrite (_ : M - j + c.-1 = q.+1 * c + (s - j)); last by rewrite mulSn; lia.
  by rewrite divnMDl // divn_small ?addn0 //; lia.
have all_of_it : (M + c.-1) %/ c = q.+1 by rewrite -(whole 0) ?subn0.
split=> [j jM|]; last by rewrite whole // all_of_it; split=> //; lia.
rewrite all_of_it; have [js|sj] := leqP j s.
  by rewrite whole // line_load_mono // leq_div2r // leq_add2l.
have -> : (M - j + c.-1) %/ c = q.
  rewrite (_ : M - j + c.-1 = q * c + (c + s - j)); last by lia.
  by rewrite divnMDl // divn_small ?addn0 //; lia.
apply: leq_trans (line_load_shift _ _); apply: line_load_mono.
have -> : ((i + s) %/ c).+1 = (1 * c + (i + s)) %/ c by rewrite divnMDl.
by apply: leq_div2r; lia.
Qed.
