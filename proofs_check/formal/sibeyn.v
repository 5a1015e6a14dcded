(* Sibeyn: every nonsingular matrix is, in some order of the bits, a product of exchanges of
   neighbouring bits and of exchanges of his own kind (1); in just those orders that are free of
   contention whatever b is.

   Take the bits one after another. After k of them k rows of the first k + 1 have their places, and
   the other is carried along. A vector of the first k + 1 bits that the placed rows map to 0 is
   seen by the carried row or by row k + 1, where the order is free; the one that sees it takes the
   next place. So the exchanges i < k leave rows 0, ..., k among each other. The other way round,
   the rows that have places after k bits are among 0, ..., k.

   neighbours tau k == the exchange of bits k and k+1 where tau k is true, else the identity
   neighbours_back tau l == the product of these for the k of the list l, the first one leftmost *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.
From lcc Require Import kernel lattice reordering ecube exchanges free.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** Which row takes which place *)

Fixpoint carried_row (tau : nat -> bool) k := if k is k'.+1 then
  if tau k' then carried_row tau k' else k else 0%N.

Definition placed (tau : nat -> bool) k := if tau k then k.+1 else carried_row tau k.

Lemma carried_le tau k : (carried_row tau k <= k)%N.
Proof. by elim: k => //= k IH; case: ifP => // _; apply: leq_trans IH _. Qed.

Lemma eq_carried tau tau' k : (forall i, (i < k)%N -> tau i = tau' i) ->
  carried_row tau k = carried_row tau' k.
Proof.
elim: k => //= k IH same; rewrite same // IH // => i ik; apply: same; exact: ltnW.
Qed.

(* The row at place r when k exchanges have been made. *)
Definition row_at tau k r :=
  if (r < k)%N then placed tau r else if r == k then carried_row tau k else r.

Lemma row_at_lt tau k r : (r < k)%N -> row_at tau k r = placed tau r.
Proof. by rewrite /row_at => ->. Qed.

Lemma row_at_eq tau k : row_at tau k k = carried_row tau k.
Proof. by rewrite /row_at ltnn eqxx. Qed.

Lemma row_at_gt tau k r : (k < r)%N -> row_at tau k r = r.
Proof. by move=> kr; rewrite /row_at ifN ?ifN //; lia. Qed.

Lemma row_at0 tau r : row_at tau 0 r = r.
Proof. by rewrite /row_at ltn0; case: eqP => [->|]. Qed.

Lemma row_atS tau k r : row_at tau k.+1 r =
  row_at tau k (if tau k then (if r == k then k.+1 else if r == k.+1 then k else r) else r).
Proof.
have [rk|kr|->] := ltngtP r k.
- rewrite [LHS]row_at_lt ?ltnS 1?ltnW // (_ : r == k.+1 = false) ?if_same ?row_at_lt //; lia.
- have [rk1|k1r|->] := ltngtP r k.+1; first lia.
    by rewrite if_same !row_at_gt.
  by rewrite row_at_eq /=; case: ifP => _; rewrite ?row_at_eq ?row_at_gt.
rewrite row_at_lt // /placed; case: ifP => _; first by rewrite row_at_gt.
by rewrite row_at_eq.
Qed.

Section Sibeyn.

Variables (m : nat).
Local Notation n := m.+1.
Implicit Types (A : 'M['F_2]_n) (tau : nat -> bool) (l : seq 'I_n) (i j k r : 'I_n).

Definition neighbours tau k : 'M['F_2]_n :=
  if tau k then perm_mx (tperm k (inord k.+1)) else 1%:M.

(* A product of the exchanges 0, ..., k-1, the first one applied first, takes rows to places. *)
Lemma product_places tau (k : nat) : (k <= n)%N -> (forall i : nat, tau i -> (i.+1 < n)%N) ->
  product (neighbours tau) (take k (enum 'I_n)) = \matrix_(r, c) ((c : nat) == row_at tau k r)%:R.
Proof.
move=> kn fits; elim: k kn => [_|k IH kn].
  by rewrite take0 /product /=; apply/matrixP=> r c; rewrite !mxE row_at0 eq_sym.
pose ik := Ordinal kn; have -> : take k.+1 (enum 'I_n) = rcons (take k (enum 'I_n)) ik.
  by rewrite (take_nth ord0) ?size_enum_ord // -[k in nth _ _ k]/(val ik) nth_ord_enum.
rewrite /product foldl_rcons -/(product _ _) IH ?(ltnW kn) //; apply/matrixP=> r c.
rewrite /neighbours; case tk : (tau ik); last first.
  by rewrite mul1mx !mxE row_atS -[k]/(val ik) tk.
rewrite -row_permE !mxE row_atS -[tau k]/(tau ik) tk; congr ((_ == row_at _ _ _)%:R).
have k1 := fits _ tk; case: tpermP => [->|->|]; rewrite /= ?inordK ?eqxx //.
  by rewrite ifN //; lia.
move=> /eqP rk /eqP rk1; rewrite ifN ?ifN //; by rewrite -[k.+1](@inordK m) // val_eqE.
Qed.

(** ** The rows that have places *)

Lemma placed_places tau (k i : nat) :
  (i \in [seq placed tau r | r <- iota 0 k]) = (i <= k)%N && (i != carried_row tau k).
Proof.
elim: k => [|k IH]; first by case: i.
rewrite -addn1 iotaD map_cat mem_cat IH addn1 /= inE /placed.
by have := carried_le tau k; case: (tau k) => /=; move: (carried_row tau k) => c; lia.
Qed.

Definition neighbours_back tau l : 'M['F_2]_n :=
  foldr (fun k X => neighbours tau k *m X) 1%:M l.

Lemma neighbours_twice tau k : neighbours tau k *m neighbours tau k = 1%:M.
Proof.
rewrite /neighbours; case: ifP => _; last exact: mul1mx.
by rewrite -perm_mxM tperm2 perm_mx1.
Qed.

Lemma neighbours_cancel tau l : neighbours_back tau l *m product (neighbours tau) l = 1%:M.
Proof.
have back X : foldr (fun k X => neighbours tau k *m X) X l = neighbours_back tau l *m X.
  by rewrite /neighbours_back; elim: l => [|k l IH] /=; rewrite ?mul1mx // IH mulmxA.
elim/last_ind: l back => [|l k IH] _; first exact: mul1mx.
have back X : foldr (fun k X => neighbours tau k *m X) X l = neighbours_back tau l *m X.
  by rewrite /neighbours_back; elim: (l) => [|j l' IH'] /=; rewrite ?mul1mx // IH' mulmxA.
rewrite /neighbours_back foldr_rcons back /product foldl_rcons -/(product _ _) mulmx1.
by rewrite -mulmxA (mulmxA (neighbours tau k)) neighbours_twice mul1mx IH.
Qed.

Lemma product_unit_neighbours tau l : product (neighbours tau) l \in unitmx.
Proof. by have [] := mulmx1_unit (neighbours_cancel tau l). Qed.

(* The rows that have a place after k of them. *)
Definition places_taken tau (k : nat) : bits n :=
  [set x : 'I_n | (x <= k)%N && (x != carried_row tau k :> nat)].

Lemma takeE (k : nat) : [set x in take k (enum 'I_n)] = below n k.
Proof. by apply/setP=> x; rewrite !inE in_take ?mem_enum // index_enum_ord. Qed.

Section Factors.

Variables (M : 'M['F_2]_n) (tau : nat -> bool).
Hypothesis fits : forall k : nat, tau k -> (k.+1 < n)%N.
Local Notation N := (product (neighbours tau) (enum 'I_n) *m M).

Lemma placed_lt r : (placed tau r < n)%N.
Proof.
rewrite /placed; case tr : (tau r); first exact: fits.
by apply: leq_ltn_trans (carried_le _ _) _.
Qed.

Lemma factor_row (x : vec n) r : (N *m x) r 0 = (M *m x) (Ordinal (placed_lt r)) 0.
Proof.
have := product_places (leqnn n) fits; rewrite take_oversize ?size_enum_ord // => PE.
rewrite PE -mulmxA mxE (bigD1 (Ordinal (placed_lt r))) //= mxE row_at_lt // eqxx mul1r.
rewrite big1 ?addr0 // => c cr; rewrite mxE row_at_lt //.
by rewrite -[(_ == _)]/(c == Ordinal (placed_lt r)) (negPf cr) mul0r.
Qed.

Lemma factor_ker (k : nat) : (k < n)%N ->
  ker N (below n k) (below n k) = ker M (places_taken tau k) (below n k).
Proof.
move=> kn; apply/setP=> x; apply/kerP/kerP=> -[xC xR]; split=> // i.
  rewrite inE -placed_places => /mapP[r]; rewrite mem_iota => /andP[_ rk] iE.
  have rn : (r < n)%N by apply: ltn_trans kn.
  rewrite (_ : i = Ordinal (placed_lt (Ordinal rn))); last exact: val_inj.
  by rewrite -factor_row xR // inE.
rewrite inE => ik; rewrite factor_row xR // inE -placed_places.
by apply/mapP; exists (i : nat); rewrite // mem_iota.
Qed.

Lemma factors_of : M \in unitmx ->
  (forall k : nat, (k < n)%N -> #|ker M (places_taken tau k) (below n k)| = 1%N) ->
  exists V, (forall k, exchange k (V k)) /\
    M = neighbours_back tau (enum 'I_n) *m product V (enum 'I_n).
Proof.
move=> MU ones; have NU : N \in unitmx by rewrite unitmx_mul product_unit_neighbours.
have kernels (k : nat) : #|ker N (below n k) (below n k)| = 1%N.
  have [nk|kn] := leqP n k; last by rewrite factor_ker // ones.
  have -> : below n k = setT by apply/setP=> i; rewrite !inE (leq_trans _ nk).
  by rewrite card_ker_full mxrank_unit // subnn.
have eU : uniq (enum 'I_n) := enum_uniq _.
have eT : enum 'I_n =i predT by move=> k; rewrite mem_enum.
have [|V [eV NV]] := (exchanges_iff_kernels N eU eT).2; first by move=> i; rewrite takeE.
by exists V; split=> //; rewrite -NV mulmxA neighbours_cancel mul1mx.
Qed.

Lemma factors_free V : (forall k, exchange k (V k)) ->
  M = neighbours_back tau (enum 'I_n) *m product V (enum 'I_n) ->
  forall i, #|ker M (below n i.+1) (below n i)| = 1%N.
Proof.
move=> eV ME i; have NE : N = product V (enum 'I_n).
  by rewrite ME mulmxA (mulmx1C (neighbours_cancel tau _)) mul1mx.
have eU : uniq (enum 'I_n) := enum_uniq _.
have eT : enum 'I_n =i predT by move=> k; rewrite mem_enum.
have along : exchanges_along N (enum 'I_n) by exists V.
have := (exchanges_iff_kernels N eU eT).1 along i; rewrite takeE => one.
apply/eqP; rewrite eqn_leq card_ker_gt0 andbT.
suff sub : ker M (below n i.+1) (below n i) \subset ker N (below n i) (below n i).
  by apply: leq_trans (subset_leq_card sub) _; rewrite one.
apply/subsetP=> x; case/kerP=> xC xR; apply/kerP; split=> // r; rewrite inE => ri.
rewrite factor_row xR //.
rewrite inE /= ltnS /placed; case: (tau r) => //.
by apply: leq_trans (carried_le _ _) (ltnW ri).
Qed.

End Factors.

(** ** The rows take places in every order that is free *)

Lemma take_place M tau (k : nat) (d : 'I_n) : d = k.+1 :> nat ->
  #|ker M (below n k.+2) (below n k.+1)| = 1%N ->
  #|ker M (places_taken tau k) (below n k)| = 1%N ->
  #|ker M (d |: places_taken tau k) (below n k.+1)| != 1%N ->
  #|ker M (below n k.+1) (below n k.+1)| = 1%N.
Proof.
move=> dE free one more; have kn : (k < n)%N by have := ltn_ord d; lia.
have le2 : (#|ker M (places_taken tau k) (below n k.+1)| <= 2)%N.
  apply: leq_trans (card_ker_delcol_le _ _ _ (Ordinal kn)) _.
  suff -> : below n k.+1 :\ Ordinal kn = below n k by rewrite one.
  by apply/setP=> x; rewrite !inE -val_eqE /=; lia.
have cn : (carried_row tau k < n)%N by apply: leq_ltn_trans (carried_le _ _) kn.
pose c := Ordinal cn; have P_c : c |: places_taken tau k = below n k.+1.
  by apply/setP=> x; rewrite !inE -val_eqE /=; have := carried_le tau k; lia.
have [|v vK v0] := @ker_exists _ _ M (d |: places_taken tau k) (below n k.+1).
  by rewrite ltn_neqAle eq_sym more card_ker_gt0.
have [vC vR] := kerP _ _ _ _ vK.
have vc : (M *m v) c 0 != 0.
  apply: contraNneq v0 => vc; have : v \in ker M (below n k.+2) (below n k.+1).
    apply/kerP; split=> // x; rewrite inE => xk; have [->//|xc] := eqVneq x c.
    apply: vR; rewrite !inE -[x == d]val_eqE /= dE; move: xc; rewrite -val_eqE /= => xc.
    by rewrite xc andbT; lia.
  by move/eqP: free; rewrite card_ker1 => /subsetP sub /sub; rewrite inE.
have vP : v \in ker M (places_taken tau k) (below n k.+1).
  by apply/kerP; split=> // x xP; apply: vR; rewrite inE xP orbT.
have two := card_ker_addrow vP vc; rewrite P_c in two.
by apply/eqP; rewrite eqn_leq card_ker_gt0 andbT -(leq_pmul2l (isT : (0 < 2)%N)) -two.
Qed.

Lemma eq_places tau tau' (k : nat) : (forall i : nat, (i < k)%N -> tau i = tau' i) ->
  places_taken tau k = places_taken tau' k.
Proof. by move=> same; rewrite /places_taken (eq_carried same). Qed.

Lemma places_exist M : (forall i, #|ker M (below n i.+1) (below n i)| = 1%N) ->
  forall k : nat, (k < n)%N -> exists tau, forall q : nat, (q <= k)%N ->
    #|ker M (places_taken tau q) (below n q)| = 1%N.
Proof.
move=> free; elim=> [_|k IH kn].
  exists (fun=> false) => q; rewrite leqn0 => /eqP ->; apply/eqP; rewrite card_ker1.
  apply/subsetP=> x /kerP[xC _]; rewrite inE; apply/eqP/matrixP=> r z.
  by rewrite (ord1 z) xC ?inE // mxE.
have [tau ones] := IH (ltnW kn); pose d := Ordinal kn.
pose tau' (i : nat) := if i == k
  then #|ker M (d |: places_taken tau k) (below n k.+1)| == 1%N else tau i.
exists tau' => q; rewrite leq_eqVlt => /orP[/eqP->|]; last first.
  rewrite ltnS => qk; rewrite (@eq_places tau' tau) ?ones // => i iq.
  by rewrite /tau' ifN //; lia.
have same : carried_row tau' k = carried_row tau k.
  by apply: eq_carried => i ik; rewrite /tau' ifN //; lia.
have [one|more] := eqVneq #|ker M (d |: places_taken tau k) (below n k.+1)| 1%N.
  rewrite -[RHS]one; congr #|pred_of_set (ker M _ _)|; apply/setP=> x.
  rewrite !inE /= {1}/tau' eqxx one eqxx same -[x == d]val_eqE /=.
  by have := carried_le tau k; lia.
have -> : places_taken tau' k.+1 = below n k.+1.
  by apply/setP=> x; rewrite !inE /= {1}/tau' eqxx (negPf more); lia.
by apply: (@take_place M tau k d) => //; [apply: (free d)|apply: ones].
Qed.

(* An order is free of contention whatever b is just where the matrix in it has such factors. *)
(** Claims: lattice.sibeyn.ascending (in the order of any such factors a channel has one message
    at most, whatever b is, and where there is no contention there are such factors). *)
Theorem sibeyn_orders M : M \in unitmx ->
  M \in always_free m <-> exists tau (V : 'I_n -> 'M['F_2]_n),
    [/\ forall k : nat, tau k -> (k.+1 < n)%N, forall k, exchange k (V k)
      & M = neighbours_back tau (enum 'I_n) *m product V (enum 'I_n)].
Proof.
move=> MU; rewrite always_freeE inE; split=> [/forallP free|[tau [V [fits eV ME]]]]; last first.
  by apply/forallP=> i; rewrite (factors_free fits eV ME) implybT.
have one i : #|ker M (below n i.+1) (below n i)| = 1%N.
  by have := free i; rewrite -ltnS ltn_ord => /eqP.
have [tau0 ones0] := places_exist one (ltnSn m).
pose tau (k : nat) := (k < m)%N && tau0 k.
have fits (k : nat) : tau k -> (k.+1 < n)%N by move=> /andP[].
have [k kn|V [eV ME]] := factors_of fits MU; last by exists tau, V.
rewrite (@eq_places tau tau0) ?ones0 // => i ik; rewrite /tau (leq_trans ik) //.
Qed.

(* A node holds two messages at most on the way. *)
Theorem sibeyn_occupancy M b tau (V : 'I_n -> 'M['F_2]_n) i :
  (forall k : nat, tau k -> (k.+1 < n)%N) -> (forall k, exchange k (V k)) ->
  M = neighbours_back tau (enum 'I_n) *m product V (enum 'I_n) ->
  (gather_occupancy M b set0 (below n i) <= 2)%N.
Proof.
move=> fits eV ME; rewrite occupancy_ker; apply: leq_trans (card_ker_addrow_le _ _ _ i) _.
by rewrite belowS (factors_free fits eV ME).
Qed.

(* B A B^-1 = E_0 ... E_(n-1) V_(n-1) ... V_0, B of the order s. *)
(** Claims: sibeyn.eq1 (there are such factors). *)
Theorem sibeyn_decomposition A : A \in unitmx -> exists s tau (V : 'I_n -> 'M['F_2]_n),
  [/\ forall k : nat, tau k -> (k.+1 < n)%N, forall k, exchange k (V k)
    & renamed A (perm_mx s) = neighbours_back tau (enum 'I_n) *m product V (enum 'I_n)].
Proof.
move=> AU; have [s ranks] := hou_theorem_4 AU; exists s.
apply/sibeyn_orders; last by apply/(always_free_ranks _).1.
by rewrite !unitmx_mul AU unitmx_inv unitmx_perm.
Qed.

End Sibeyn.
