(* LCP_Optimizer, Sibeyn's decomposition and Algorithm HL as one greedy walk on the lattice.

   Always take the first bit of an arrangement that is free whatever b is. Where the bit found
   changes places with the one that stands there, the walk is LCP_Optimizer's, and Sibeyn's with
   the least j selected; where it moves in front of those between, the bits left stay in ascending
   order, and it is HL's.

   In iteration i of LCP_Optimizer the columns before i of V are unit vectors of the marked rows;
   so after the first i+1 bits a bit k is free just where an unmarked row among 0, ..., i, k has a 1
   in column i. In pass i of Sibeyn's algorithm rows 0, ..., i-1 of M are unit rows, and what stands
   left and right of M in (2) changes no kernel of these rows and columns; so a bit k is free just
   where M is not 0 at (i, i) or (k, i).

   free_next A S j == no channel carries two messages where bit j is corrected after S, for any b
   greedy swap free k done l == k bits: always the first of l that is free after those done
   greedy_order swap A == the greedy walk on the bits 0, 1, ... in this order *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.
From lcc Require Import utility kernel lattice reordering ecube lcp_optimizer exchanges.
From lcc Require Import gauss_jordan free sibeyn hl sibeyn_algorithm.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** The walk *)

Fixpoint greedy (T : Type) (swap : bool) (free : seq T -> T -> bool) (k : nat) (done l : seq T) :=
  if k is k'.+1 then
    let p := find (free done) l in
    if drop p l is x :: r then
      let rest := if swap then (if take p l is y :: t then t ++ y :: r else r) else take p l ++ r in
      x :: greedy swap free k' (rcons done x) rest
    else [::]
  else [::].

Lemma greedy_step (T : Type) swap (free : seq T -> T -> bool) k done l1 x r :
  ~~ has (free done) l1 -> free done x ->
  greedy swap free k.+1 done (l1 ++ x :: r) = x :: greedy swap free k (rcons done x)
    (if swap then (if l1 is y :: t then t ++ y :: r else r) else l1 ++ r).
Proof.
move=> none xfree; have pE : find (free done) (l1 ++ x :: r) = size l1.
  by rewrite find_cat (negPf none) /= xfree addn0.
by rewrite [LHS]/= pE drop_size_cat // take_size_cat.
Qed.

Section Walk.

Variables (m : nat) (A : 'M['F_2]_m.+1).
Local Notation n := m.+1.
Hypothesis AU : A \in unitmx.
Implicit Types (M X Y : 'M['F_2]_n) (S C : bits n) (b : vec n) (t : 'S_n) (i j k p r c : 'I_n).

Definition free_next S j := [forall b : vec n, gather_load A b set0 S j <= 1]%N.

Definition greedy_order swap :=
  greedy swap (fun done j => free_next [set x in done] j) n [::] (enum 'I_n).

Lemma free_nextE S j : j \notin S -> free_next S j = (#|ker A (j |: S) S| == 1%N).
Proof.
move=> jS; rewrite eqn_leq card_ker_gt0 andbT; apply/forallP/idP=> [/(_ (ones m))|le1 b].
  by rewrite gather_load0 // ones_move.
by rewrite gather_load0 //; case: ifP.
Qed.

Lemma set_taken t (a : nat) : [set x in [seq t k | k <- take a (enum 'I_n)]] = prefix t a.
Proof.
apply/setP=> x; rewrite inE; apply/mapP/imsetP=> -[k].
  by rewrite in_taken => ka ->; exists k; rewrite ?inE.
by rewrite inE => ka ->; exists k; rewrite ?in_taken.
Qed.

(** ** Changing places *)

Definition at_place (a : nat) : 'I_n := inord a.

(* The first place from a on whose bit is free after the bits of the places before a. *)
Definition first_place t (a : nat) p := [/\ (a <= p)%N, free_next (prefix t a) (t p)
  & forall k, (a <= k < p)%N -> ~~ free_next (prefix t a) (t k)].

(* The arrangement when a places have their bits. *)
Fixpoint swapped (a : nat) t : Prop := if a is a'.+1 then
  exists t' p, [/\ swapped a' t', first_place t' a' p & t = (tperm (at_place a') p * t')%g]
  else t = 1%g.

Lemma swappedS (a : nat) t p : swapped a t -> first_place t a p ->
  swapped a.+1 (tperm (at_place a) p * t)%g.
Proof. by exists t, p. Qed.

Lemma perm_mx_inj t t' : perm_mx t = perm_mx t' :> 'M['F_2]_n -> t = t'.
Proof.
move=> tt; apply/permP=> k; have /matrixP/(_ k (t k))/eqP := tt.
by rewrite !mxE eqxx; case: (t' k =P t k) => [->|_] //; rewrite oner_eq0.
Qed.

Lemma drop_enum i : drop i (enum 'I_n) = i :: drop i.+1 (enum 'I_n).
Proof. by rewrite (drop_nth ord0) ?size_enum_ord // nth_ord_enum. Qed.

Lemma take_enum i : take i.+1 (enum 'I_n) = rcons (take i (enum 'I_n)) i.
Proof. by rewrite (take_nth ord0) ?size_enum_ord // nth_ord_enum. Qed.

Lemma in_dropped (a : nat) k : (k \in drop a (enum 'I_n)) = (a <= k)%N.
Proof.
have eE := cat_take_drop a (enum 'I_n).
have : uniq (take a (enum 'I_n) ++ drop a (enum 'I_n)) by rewrite eE enum_uniq.
have : k \in take a (enum 'I_n) ++ drop a (enum 'I_n) by rewrite eE mem_enum.
rewrite cat_uniq mem_cat in_taken => kin /and3P[_ /hasPn off _]; apply/idP/idP=> [kd|ak].
  by have := off _ kd; rewrite /= in_taken -leqNgt.
by move: kin; rewrite ltnNge ak.
Qed.

Lemma swapped_greedy (a : nat) t : swapped a t -> greedy_order true =
  [seq t k | k <- take a (enum 'I_n)] ++ greedy true (fun done j => free_next [set x in done] j)
    (n - a) [seq t k | k <- take a (enum 'I_n)] [seq t k | k <- drop a (enum 'I_n)].
Proof.
elim: a t => [t ->|a IH _ [t [p [/IH {}IH [ap pfree first] ->]]]].
  by rewrite take0 drop0 subn0 /=; congr greedy; rewrite -[LHS]map_id; apply: eq_map => k;
    rewrite perm1.
have an : (a < n)%N by apply: leq_ltn_trans ap (ltn_ord p).
pose q := at_place a; have qE : q = a :> nat by exact: inordK.
rewrite {}IH -/q; set t' := (tperm q p * t)%g.
have t'E k : t' k = t (tperm q p k) by rewrite permM.
have before : [seq t' k | k <- take a (enum 'I_n)] = [seq t k | k <- take a (enum 'I_n)].
  apply/eq_in_map=> k; rewrite in_taken t'E => ka; rewrite tpermD // -val_eqE /=; lia.
have now : [seq t' k | k <- take a.+1 (enum 'I_n)]
    = rcons [seq t k | k <- take a (enum 'I_n)] (t p).
  by rewrite -qE take_enum map_rcons qE before t'E tpermL.
rewrite now -cats1 -catA; congr (_ ++ _); rewrite (_ : n - a = (n - a.+1).+1)%N; last lia.
have same k : k != q -> k != p -> t' k = t k by move=> kq kp; rewrite t'E tpermD // eq_sym.
have [l1 dE]: exists l1, drop a (enum 'I_n) = l1 ++ p :: drop p.+1 (enum 'I_n).
  exists (take (p - a) (drop a (enum 'I_n))).
  rewrite -[LHS](cat_take_drop (p - a)); congr (_ ++ _).
  by rewrite drop_drop subnK // drop_enum.
have dU : uniq (l1 ++ p :: drop p.+1 (enum 'I_n)) by rewrite -dE drop_uniq ?enum_uniq.
have low k : k \in l1 -> (a <= k < p)%N.
  move=> kl; rewrite -in_dropped dE mem_cat kl /= ltnNge; apply/negP.
  rewrite -in_dropped drop_enum => kd.
  move: dU; rewrite cat_uniq => /and3P[_ /hasPn off _].
  by have := off k kd; rewrite /= kl.
rewrite [in LHS]dE map_cat map_cons greedy_step ?set_taken //; last first.
  by apply/hasPn=> _ /mapP[k /low kl ->]; apply: first.
rewrite cats1; congr (_ :: greedy _ _ _ _ _).
have later k : k \in drop p.+1 (enum 'I_n) -> t' k = t k.
  by rewrite in_dropped => pk; rewrite same // -val_eqE /=; lia.
case: l1 dE dU low => [|y l2] dE dU low.
  have pq : p = q by move: dE; rewrite -{1}qE drop_enum => -[].
  by rewrite /= -[in RHS]qE -pq; apply/esym/eq_in_map.
move: dE; rewrite -{1}qE drop_enum qE => -[yq ->]; rewrite map_cat /= -yq t'E tpermR.
congr (_ ++ _ :: _); apply/esym/eq_in_map => // k kl.
have := low k; rewrite inE kl orbT => /(_ isT)/andP[_ kp]; rewrite same //; last first.
  by rewrite -val_eqE /=; lia.
by move: dU; rewrite -yq /= mem_cat => /andP[+ _]; apply: contraNneq => <-; rewrite kl.
Qed.

Lemma swapped_all t : swapped n t -> [seq t k | k <- enum 'I_n] = greedy_order true.
Proof.
by move=> /swapped_greedy ->; rewrite subnn cats0 take_oversize ?size_enum_ord.
Qed.

Lemma swapped1 : swapped 1 1%g.
Proof.
have first0 : first_place 1 0 ord0.
  split=> //; have -> : prefix 1 0 = set0 :> bits n by rewrite prefix1 below0.
  by rewrite free_nextE ?inE // -below0 ker_no_columns.
have := @swappedS 0 1%g _ (erefl _) first0; rewrite (_ : at_place 0 = ord0) ?tperm1 ?mulg1 //.
by apply: val_inj; rewrite /= inordK.
Qed.

Lemma free_place t (a : nat) k : (a <= k)%N -> free_next (prefix t a) (t k) =
  (#|ker (renamed A (perm_mx t)) (k |: below n a) (below n a)| == 1%N).
Proof.
move=> ak; rewrite card_ker_renamed imsetU1 free_nextE // mem_imset ?inE -?leqNgt //.
exact: perm_inj.
Qed.

(** ** LCP_Optimizer *)

(* Where the columns before i are unit vectors: what a vector of bits 0, ..., i is mapped to. *)
Lemma reduced_rows (i : 'I_m) s f (x : vec n) : reduced i s f ->
  (forall c : 'I_n, (i < c)%N -> x c 0 = 0) ->
  (forall c : 'I_n, (c < i)%N -> (aV s *m x) (f c) 0 = x c 0 + aV s (f c) (here i) * x (here i) 0)
  /\ forall r, aR s r 0 = 0 -> (aV s *m x) r 0 = aV s r (here i) * x (here i) 0.
Proof.
move=> [cols inj marks] low; have rowE r : (aV s *m x) r 0 =
    \sum_(c : 'I_n | (c < i)%N) (r == f c)%:R * x c 0 + aV s r (here i) * x (here i) 0.
  rewrite mxE (bigID (fun c : 'I_n => (c < i)%N)) /=; congr (_ + _).
    by apply: eq_bigr => c ci; rewrite (cols c ci).2.
  rewrite (bigD1 (here i)) ?ltnn //= big1 ?addr0 // => c /andP[ic ci].
  by rewrite low ?mulr0 // ltn_neqAle leqNgt ic andbT; move: ci; rewrite -val_eqE /= eq_sym.
split=> [c ci|r Rr]; rewrite rowE.
  congr (_ + _); rewrite (bigD1 c) //= eqxx mul1r big1 ?addr0 // => c' /andP[c'i c'c].
  by case: eqP => [fE|_]; rewrite ?mul0r //; move: c'c; rewrite (inj c c') ?inE ?eqxx.
rewrite big1 ?add0r // => c ci; case: eqP => [rE|_]; last by rewrite mul0r.
by move: Rr; rewrite marks rE imset_f ?inE // => /eqP; rewrite oner_eq0.
Qed.

(* Row k is free just where an unmarked row among 0, ..., i, k has a 1 in column i. *)
Lemma reduced_free b (i : 'I_m) s f k : invariant A b i s f -> (i < k)%N ->
  (#|ker (aD s) (k |: below n i.+1) (below n i.+1)| == 1%N)
  = [exists r in k |: below n i.+1, (aR s r 0 == 0) && (aV s r (here i) != 0)].
Proof.
move=> [_ rows _ up _] ik; rewrite up ?subsetUr // card_ker1; have [cols inj marks] := rows.
apply/subsetP/exists_inP=> [zero|[r rS /andP[/eqP Rr Vr]] x /kerP[xC xR]]; last first.
  have low (c : 'I_n) : (i < c)%N -> x c 0 = 0 by move=> ic; rewrite xC // inE -leqNgt.
  have [at_f at_r] := reduced_rows rows low.
  have xi : x (here i) 0 = 0.
    by have /eqP := at_r r Rr; rewrite xR // eq_sym mulf_eq0 (negPf Vr) => /eqP.
  rewrite inE; apply/eqP/matrixP=> c z; rewrite (ord1 z) mxE; case: (ltngtP c i) => [ci|ic|ci].
  - have := at_f c ci; rewrite xi mulr0 addr0 xR // !inE; apply/orP; right.
    by rewrite ltnS; case: (cols c ci).
  - exact: low.
  by rewrite (_ : c = here i) //; apply: val_inj.
apply/exists_inP; apply: contraT => /exists_inPn none.
pose x : vec n := \col_c (if (c < i)%N then aV s (f c) (here i) else (c == here i)%:R).
have xi : x (here i) 0 = 1 by rewrite mxE ltnn eqxx.
have low (c : 'I_n) : (i < c)%N -> x c 0 = 0.
  move=> ic; rewrite mxE ltnNge ltnW //= -val_eqE /=; case: eqP => // ci; lia.
have [at_f at_r] := reduced_rows rows low.
have /zero : x \in ker (aV s) (k |: below n i.+1) (below n i.+1).
  apply/kerP; split=> [c|r rS]; first by rewrite inE -leqNgt => /low.
  have [/imsetP[c]|rF] := boolP (r \in f @: below n i).
    rewrite inE => ci ->; rewrite at_f // xi mulr1 mxE ci; exact: f2_addxx.
  have Rr : aR s r 0 = 0 by rewrite marks (negPf rF).
  rewrite at_r // xi mulr1; apply/eqP; have := none r rS; rewrite Rr eqxx /=.
  by rewrite negbK.
by rewrite inE => /eqP/matrixP/(_ (here i) 0); rewrite xi mxE => /eqP; rewrite oner_eq0.
Qed.

Lemma reduce_Q i j s (l : seq 'I_n) : aQ (foldl (reduce i j) s l) = aQ s.
Proof. by elim: l s => //= k l IH s; rewrite IH /reduce; case: ifP. Qed.

Lemma at_placeE i : at_place i = i. Proof. by apply: val_inj; rewrite /= inordK. Qed.

(* The bit of place i + 1 is found in iteration i. *)
Lemma lcp_step b (i : 'I_m) s f t : invariant A b i s f -> aQ s = perm_mx t -> swapped i.+1 t ->
  exists2 s', iteration i s = Some s' & exists2 t', aQ s' = perm_mx t' & swapped i.+2 t'.
Proof.
move=> inv Qt st; have [_ DE _] := by_exchanges inv.
have [j [found Vj Rj first]] := search_finds AU inv.
have nextE : next i = i.+1 :> nat by rewrite /= /bump.
have freeE (k : 'I_n) : (i < k)%N -> free_next (prefix t i.+1) (t k)
    = [exists r in k |: below n i.+1, (aR s r 0 == 0) && (aV s r (here i) != 0)].
  by move=> ik; rewrite (free_place t ik) -Qt -DE; apply: (reduced_free inv).
pose p := if (i.+1 < j)%N then j else next i.
have pj : j \in p |: below n i.+1.
  rewrite !inE /p; case: ltnP => [_|]; rewrite ?eqxx //.
  by move=> le; rewrite -[j == _]/(nat_of_ord j == next i) nextE; lia.
have ip : (i < p)%N by rewrite /p; case: ifP => [/ltnW //|_]; exact: ltnSn.
have placed : first_place t i.+1 p.
  split=> //; first rewrite freeE //.
    by apply/exists_inP; exists j => //; rewrite Rj Vj eqxx.
  move=> k /andP[ik kp]; rewrite freeE //; apply/exists_inPn=> r rS; apply/negP=> /andP[/eqP Rr Vr].
  move: kp; rewrite /p; case: ifP => [ij kj|_]; last by rewrite nextE ltnNge ik.
  have := first r _ Vr; rewrite Rr eqxx => /(_ _)/negP[] //.
  move: rS; rewrite !inE -val_eqE /= => /orP[/eqP->//|]; lia.
rewrite /iteration found; case E: (settle i j s) => [s1 j1].
exists (mark j1 (foldl (reduce (here i) j1) s1 (enum 'I_n))) => //=.
exists (tperm (next i) p * t)%g; last first.
  have pE : at_place i.+1 = next i by rewrite -nextE at_placeE.
  by rewrite -pE; exact: (swappedS st placed).
rewrite reduce_Q; move: E; rewrite /settle /p; case: ifP => _ [<- _] /=.
  by rewrite xrowE Qt -perm_mxM.
by rewrite tperm1 mul1g.
Qed.

Lemma lcp_swapped b (k : nat) : (k <= m)%N -> exists s f t,
  [/\ at_iteration A b k = Some s, invariant A b k s f, aQ s = perm_mx t & swapped k.+1 t].
Proof.
elim: k => [_|k IH lt_km].
  exists (start A b), id, 1%g; split; rewrite ?perm_mx1 //; last exact: swapped1.
  by rewrite /at_iteration take0.
  exact: start_invariant.
have [s [f [t [sE inv Qt st]]]] := IH (ltnW lt_km); pose i := Ordinal lt_km.
have [[s' [f' [itE inv']]] _] := @iterate _ A b AU i s f inv.
have [s2 it2 [t' Qt' st']] := @lcp_step b i s f t inv Qt st.
move: it2; rewrite itE => -[ss]; exists s', f', t'; split=> //; last by rewrite ss.
rewrite /at_iteration (take_nth i) ?size_enum_ord // foldl_rcons.
by rewrite -[foldl _ _ _]/(at_iteration A b k) sE (nth_ord_enum i i).
Qed.

(* LCP_Optimizer is the walk in which the bit found changes places with the one there. *)
(** Claims: lattice.lcp.hl.amended (LCP_Optimizer). *)
Theorem lcp_optimizer_walk b s t : lcp_optimizer A b = Some s -> aQ s = perm_mx t ->
  [seq t k | k <- enum 'I_n] = greedy_order true.
Proof.
move=> sE Qt; have [s' [f [t' [sE' _ Qt' st]]]] := lcp_swapped b (leqnn m).
move: sE'; rewrite -[at_iteration _ _ _]/(lcp_optimizer A b) sE => -[ss].
have -> : t = t' by apply: perm_mx_inj; rewrite -Qt -Qt' ss.
exact: swapped_all st.
Qed.

(** ** HL *)

Lemma filter_before (P : pred 'I_n) (l1 l2 : seq 'I_n) p k :
  [seq j <- enum 'I_n | P j] = l1 ++ p :: l2 -> k \in l1 -> (k < p)%N.
Proof.
move=> E kl; pose lt := [rel j c : 'I_n | (j < c)%N].
have trans : transitive lt by move=> r j c; apply: ltn_trans.
have up : sorted lt (l1 ++ p :: l2).
  by rewrite -E sorted_filter //; have := iota_ltn_sorted 0 n; rewrite -val_enum_ord sorted_map.
have U : uniq (l1 ++ p :: l2) by rewrite -E filter_uniq ?enum_uniq.
apply: (sorted_ltn_index trans up); rewrite ?mem_cat ?kl ?mem_head ?orbT //.
have pl : p \notin l1.
  by move: U; rewrite cat_uniq => /and3P[_ /hasPn off _]; apply: (off p); rewrite mem_head.
by rewrite !index_cat kl (negPf pl) /= eqxx addn0 index_mem.
Qed.

(* Algorithm HL is the walk in which the bit found moves in front of those between. *)
(** Claims: lattice.lcp.hl.amended (HL). *)
Theorem hl_walk b t : hl_order A b t -> [seq t k | k <- enum 'I_n] = greedy_order false.
Proof.
move=> hl; pose free (done : seq 'I_n) j := free_next [set x in done] j.
suff walk (a : nat) : (a <= n)%N -> greedy_order false = [seq t k | k <- take a (enum 'I_n)] ++
    greedy false free (n - a) [seq t k | k <- take a (enum 'I_n)]
      [seq x <- enum 'I_n | x \notin prefix t a].
  by rewrite (walk n) // subnn cats0 take_oversize ?size_enum_ord.
elim: a => [_|a IH an].
  rewrite take0 subn0 /= (_ : [seq x <- _ | _] = enum 'I_n) //; apply/all_filterP/allP=> x _.
  by rewrite /prefix below0 imset0 inE.
pose i := Ordinal an; rewrite {}IH ?(ltnW an) // -[a]/(val i).
have [_ [/andP[out tfree] first]] := hl_small i hl.
have ti_rest : t i \in [seq x <- enum 'I_n | x \notin prefix t i].
  by rewrite mem_filter out mem_enum.
rewrite take_enum map_rcons (_ : n - i = (n - i.+1).+1)%N; last by rewrite /= subnSK.
have E : [seq x <- enum 'I_n | x \notin prefix t i.+1]
    = [seq x <- [seq x <- enum 'I_n | x \notin prefix t i] | x != t i].
  by rewrite -[RHS]filter_predI; apply: eq_filter => x; rewrite -prefixS !inE negb_or.
have U : uniq [seq x <- enum 'I_n | x \notin prefix t i] by rewrite filter_uniq ?enum_uniq.
have [l1 [l2 restE]] : exists l1 l2, [seq x <- enum 'I_n | x \notin prefix t i] = l1 ++ t i :: l2.
  by case/splitPr: _ / ti_rest => l1 l2; exists l1, l2.
have later := filter_before restE; rewrite E; rewrite restE in U *.
have ne x : x \in l1 ++ l2 -> x != t i.
  move: U; rewrite uniq_catC /= mem_cat uniq_catC => /andP[off _].
  by apply: contraTneq => ->; rewrite mem_cat orbC.
have found : free [seq t k | k <- take i (enum 'I_n)] (t i) by rewrite /free set_taken free_nextE.
have none : ~~ has (free [seq t k | k <- take i (enum 'I_n)]) l1.
  apply/hasPn=> x xl; rewrite /free set_taken; apply/negP=> xfree.
  have := first x; rewrite /free_bit leqNgt later // => /implyP; rewrite implybF.
  have xout : x \notin prefix t i.
    have : x \in [seq x <- enum 'I_n | x \notin prefix t i] by rewrite restE mem_cat xl.
    by rewrite mem_filter => /andP[].
  by rewrite xout -free_nextE // xfree.
rewrite greedy_step // -[in RHS]cats1 -[in RHS]catA cats1; congr (_ ++ _ :: greedy _ _ _ _ _).
rewrite filter_cat /= eqxx -filter_cat; apply/esym/all_filterP/allP=> x; exact: ne.
Qed.

(** ** Sibeyn *)

(* What stands left of M permutes rows of S, and what stands right of it columns of C. *)
Lemma ker_back tau (l : seq 'I_n) X S C :
  (forall j, j \in l -> j \in S /\ inord j.+1 \in S) ->
  ker (neighbours_back tau l *m X) S C = ker X S C.
Proof.
elim: l => [|j l IH] inS; first by rewrite mul1mx.
rewrite -IH => [|k kl]; last by apply: inS; rewrite inE kl orbT.
rewrite [neighbours_back _ _]/= -mulmxA; move: (neighbours_back tau l *m X) => Y.
rewrite /neighbours; case: ifP => _; last by rewrite mul1mx.
have [jS aS] := inS j (mem_head _ _); set q := inord j.+1 in aS *.
have same r : (tperm j q r \in S) = (r \in S) by case: tpermP => [->|->|//]; rewrite ?jS ?aS.
apply/setP=> x; apply/kerP/kerP=> -[xC xR]; split=> // r rS.
  have := xR (tperm j q r); rewrite same => /(_ rS).
  by rewrite -mulmxA perm_mx_bit tpermK.
by rewrite -mulmxA perm_mx_bit xR // same.
Qed.

Lemma card_ker_exchange j V X S C : exchange j V -> j \in C ->
  #|ker (X *m V) S C| = #|ker X S C|.
Proof.
move=> eV jC; have [VV _] := exchange_involution eV.
have VK (x : vec n) : V *m (V *m x) = x by rewrite mulmxA VV mul1mx.
have off (x : vec n) c : c != j -> (V *m x) c 0 = x c 0.
  move=> cj; have /rowP/(_ 0) := row_mul c V x; rewrite (exchange_row eV cj) -rowE !mxE => <-.
  by [].
have inC (x : vec n) c : c \notin C -> (V *m x) c 0 = x c 0.
  by move=> cC; rewrite off //; apply: contraNneq cC => ->.
rewrite -(card_imset (mem (ker (X *m V) S C)) (can_inj VK)); apply: eq_card => y.
apply/imsetP/kerP=> [[x /kerP[xC xR] ->]|[yC yR]].
  by split=> [c cC|r rS]; rewrite ?inC ?xC // mulmxA xR.
exists (V *m y); rewrite ?VK //; apply/kerP; split=> [c cC|r rS]; first by rewrite inC ?yC.
by rewrite -mulmxA VK yR.
Qed.

Lemma card_ker_product (E : 'I_n -> 'M['F_2]_n) (l : seq 'I_n) X S C :
  (forall j, exchange j (E j)) -> (forall j, j \in l -> j \in C) ->
  #|ker (X *m product E l) S C| = #|ker X S C|.
Proof.
move=> eE; elim/last_ind: l X => [|l j IH] X inC; first by rewrite mulmx1.
rewrite /product foldl_rcons mulmxA IH => [|k kl]; last first.
  by apply: inC; rewrite mem_rcons inE kl orbT.
by apply: (card_ker_exchange _ _ (eE j)); apply: inC; rewrite mem_rcons mem_head.
Qed.

(* Row k is free just where M has a 1 in column i, in row i or k. *)
Lemma sibeyn_free i s k : invariant_2 A i s -> (i < k)%N ->
  (#|ker (renamed A (fB s)) (k |: below n i.+1) (below n i.+1)| == 1%N)
  = (fA s i i != 0) || (fA s k i != 0).
Proof.
move=> [_ -> _ above _ _ eV] ik; have low j : (j < i)%N -> j \in below n i.+1.
  by rewrite inE ltnS => /ltnW.
rewrite card_ker_product // => [|j]; last by rewrite in_taken => /low.
rewrite ker_back => [|j]; last first.
  rewrite in_taken => ji; rewrite !in_setU1 low // !inE inordK ?ltnS ?ji ?orbT //.
  by apply: leq_ltn_trans ji (ltn_ord i).
rewrite card_ker1; have rows r (x : vec n) : (forall c, c != i -> x c 0 = 0) ->
    (fA s *m x) r 0 = fA s r i * x i 0.
  by move=> x0; rewrite mxE (bigD1 i) //= big1 ?addr0 // => c ci; rewrite x0 ?mulr0.
have unit_row r (x : vec n) : (r < i)%N -> (fA s *m x) r 0 = x r 0.
  move=> ri; have /rowP/(_ 0) := row_mul r (fA s) x; rewrite above // -rowE !mxE => <-.
  by [].
apply/subsetP/orP=> [zero|pivot x /kerP[xC xR]].
  apply/orP; apply: contraT; rewrite negb_or !negbK => /andP[/eqP Mii /eqP Mki].
  have alone c : c != i -> (delta_mx i 0 : vec n) c 0 = 0.
    by move=> ci; rewrite mxE (negPf ci).
  have /zero : delta_mx i 0 \in ker (fA s) (k |: below n i.+1) (below n i.+1).
    apply/kerP; split=> [c|r]; first by rewrite inE ltnS => ic; rewrite alone //; apply: contraNneq
      ic => ->.
    rewrite rows // !inE ltnS leq_eqVlt => /or3P[/eqP ->|/eqP/val_inj ->|ri].
    - by rewrite Mki mul0r.
    - by rewrite Mii mul0r.
    by rewrite (unit_above_entry _ above ri) -val_eqE /= gtn_eqF // mul0r.
  by rewrite inE => /eqP/matrixP/(_ i 0)/eqP; rewrite !mxE !eqxx oner_eq0.
have alone c : c != i -> x c 0 = 0.
  rewrite -val_eqE neq_ltn => /orP[ci|ic]; last by rewrite xC // inE -leqNgt.
  by rewrite -unit_row // xR // in_setU1 low // orbT.
have xi : x i 0 = 0.
  have none r : r \in k |: below n i.+1 -> fA s r i != 0 -> x i 0 = 0.
    by move=> rS Mr; have /eqP := xR r rS; rewrite rows // mulf_eq0 (negPf Mr) => /eqP.
  case: pivot; apply: none; first by rewrite !inE ltnSn orbT.
  by rewrite in_setU1 eqxx.
rewrite inE; apply/eqP/matrixP=> c z; rewrite (ord1 z) mxE; have [->|] := eqVneq c i => //.
exact: alone.
Qed.

(* The bit of place i + 1 is found in step a of pass i, where the least j is selected. *)
Lemma sibeyn_step i s t : (i.+1 < n)%N -> invariant_2 A i s -> fB s = perm_mx t ->
  swapped i.+1 t -> exists2 s', pass (fun=> 0%N) i s = Some s'
  & exists2 t', fB s' = perm_mx t' & swapped i.+2 t'.
Proof.
move=> i1 inv Bt st; have aE : after i = i.+1 :> nat := afterE i1.
have freeE k : (i < k)%N ->
    free_next (prefix t i.+1) (t k) = (fA s i i != 0) || (fA s k i != 0).
  by move=> ik; rewrite (free_place t ik) -Bt (sibeyn_free inv).
have place : at_place i.+1 = after i by [].
have B_bc s1 : fB (step_c i (step_b i s1)) = fB s1 by rewrite /step_b; case: ifP.
have [s1 [s1E _ _]] := step_a_invariant (fun=> 0%N) inv; rewrite /pass s1E.
exists (step_c i (step_b i s1)) => //; rewrite B_bc; move: s1E; rewrite /step_a /no_pivot i1 /=.
case: ifP => [/andP[/eqP Mii Mai]|pivot [<-]]; last first.
  exists t => //; have first : first_place t i.+1 (after i).
    split; first by rewrite aE.
      by rewrite freeE ?aE //; move: pivot; rewrite negbK; case: eqP => //= _ ->.
    by move=> k; rewrite aE; lia.
  by have := swappedS st first; rewrite place tperm1 mul1g.
case E: (fitting i (fA s)) => [|j l]; first by rewrite drop0.
rewrite mod0n drop0 => -[<-] /=; exists (tperm (after i) j * t)%g.
  by rewrite xrowE Bt perm_mxM.
have : j \in fitting i (fA s) by rewrite E mem_head.
rewrite mem_filter mem_enum andbT => /andP[ij Mji].
have first : first_place t i.+1 j.
  split; [exact: ltnW|by rewrite freeE ?Mji ?orbT // ltnW|] => k /andP[ik kj].
  rewrite freeE // Mii eqxx /=; apply: contraL kj => Mki.
  have [ka|ka] := eqVneq k (after i); first by move: Mai; rewrite -ka Mki.
  have k_fits : k \in fitting i (fA s).
    by rewrite mem_filter mem_enum andbT Mki andbT ltn_neqAle ik andbT -aE eq_sym.
  move: k_fits; rewrite E inE -leqNgt => /orP[/eqP -> //|kl].
  case/splitPr: kl E => l1 l2 E; apply/ltnW/(@filter_before _ (j :: l1) l2 k j).
    exact: E.
  exact: mem_head.
by have := swappedS st first; rewrite place.
Qed.

Lemma sibeyn_swapped (k : nat) : (k <= m)%N -> exists s t,
  [/\ after_passes (fun=> 0%N) A k = Some s, invariant_2 A k s, fB s = perm_mx t & swapped k.+1 t].
Proof.
elim: k => [_|k IH km].
  have [s sE inv] := passes_invariant (fun=> 0%N) AU (leq0n n); exists s, 1%g; split=> //.
    by move: sE; rewrite /after_passes take0 => -[<-]; rewrite perm_mx1.
  exact: swapped1.
have [s [t [sE inv Bt st]]] := IH (ltnW km); have kn : (k < n)%N by apply: ltnW.
pose i := Ordinal kn; have [s' s'E [t' Bt' st']] := @sibeyn_step i s t km inv Bt st.
have [s2 s2E inv'] := passes_invariant (fun=> 0%N) AU kn; exists s', t'.
have nextE : after_passes (fun=> 0%N) A k.+1 = Some s'.
  by rewrite /after_passes -[k.+1]/(i.+1) take_enum foldl_rcons -/(after_passes _ A k) sE.
by split=> //; move: s2E; rewrite nextE => -[->].
Qed.

(* With the least j selected it is LCP_Optimizer's walk, too. *)
(** Claims: lattice.lcp.sibeyn. *)
Theorem sibeyn_walk s t : sibeyn_algorithm (fun=> 0%N) A = Some s -> fB s = perm_mx t ->
  [seq t k | k <- enum 'I_n] = greedy_order true.
Proof.
move=> sE Bt; have [s' [t' [sE' inv' Bt' st']]] := sibeyn_swapped (leqnn m).
have BB : fB s = fB s'.
  move: sE; rewrite /sibeyn_algorithm /after_passes -[n]/((ord_max : 'I_n).+1) take_enum.
  rewrite foldl_rcons -/(after_passes _ A m) sE' /=; rewrite /pass /step_a /no_pivot ltnn /= andbT.
  have [i le_i Mi] := @pivot_exists _ ord_max _ (rest_unit inv') (rest_above inv').
  have iE : i = ord_max by apply/val_inj/eqP; rewrite /= eqn_leq le_i andbT -ltnS ltn_ord.
  by rewrite iE in Mi; rewrite (negPf Mi) /= => -[<-]; rewrite /step_b; case: ifP.
have -> : t = t' by apply: perm_mx_inj; rewrite -Bt -Bt' BB.
exact: swapped_all st'.
Qed.

(** Claims: lattice.lcp.sibeyn. *)
Theorem lcp_optimizer_sibeyn b s s' : lcp_optimizer A b = Some s ->
  sibeyn_algorithm (fun=> 0%N) A = Some s' -> fB s' = aQ s.
Proof.
move=> sE sE'; have [s0 [t [sE0 Qt _ _ _]]] := lcp_optimizer_correct b AU.
have [s1 [t' [sE1 Bt _ _ _]]] := sibeyn_algorithm_correct (fun=> 0%N) AU.
have Qs : aQ s = perm_mx t by move: sE0; rewrite sE => -[->].
have Bs : fB s' = perm_mx t' by move: sE1; rewrite sE' => -[->].
rewrite Qs Bs; congr perm_mx; apply/permP=> k.
have := sibeyn_walk sE' Bs; rewrite -(lcp_optimizer_walk sE Qs) => /eq_in_map; apply.
by rewrite mem_enum.
Qed.

End Walk.
