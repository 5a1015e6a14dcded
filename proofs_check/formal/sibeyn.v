(* Sibeyn: every nonsingular matrix is, in some order of the bits, a product of exchanges of
   neighbouring bits and of exchanges of his own kind (1).

   Take the bits one after another. After i of them the first i rows of what is left have their
   pivots, and one row of the first i+1 bits is carried along. A vector v of the first i+1 bits is
   mapped to 0 by the rows that have pivots; as A is nonsingular, A v has a 1. If the carried row
   has it, that row takes the next place, and any bit comes next. If not, the row of a bit that was
   not yet taken has it: that bit comes next, and an exchange of its row with the carried one puts
   it in its place. So the exchanges k < i leave rows 0, ..., i+1 among each other.

   neighbours tau k == the exchange of bits k and k+1 where tau k is true, else the identity
   neighbours_back tau l == the product of these for the k of the list l, the first one leftmost *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.
From lcc Require Import kernel lattice reordering ecube exchanges.

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

(** ** The order, and the exchanges *)

(* The rows that have a place after k of them: of the bits of l but the carried one. *)
Definition with_place tau l (k : nat) : bits n :=
  [set x in take k.+1 l] :\ nth ord0 l (carried_row tau k).

(* k + 1 bits are in order, and the first k places are filled well. *)
Definition good A (k : nat) l tau := [/\ uniq l, size l = k.+1 &
  forall q, (q <= k)%N -> #|ker A (with_place tau l q) [set x in take q l]| = 1%N].

Lemma carried_lt tau (k : nat) l : size l = k.+1 -> (carried_row tau k < size l)%N.
Proof. by move=> ->; rewrite ltnS carried_le. Qed.

Lemma good_start A tau : good A 0 [:: ord0] tau.
Proof.
split=> // q; rewrite leqn0 => /eqP ->; rewrite take0; apply/eqP; rewrite card_ker1.
apply/subsetP=> x /kerP[xC _]; rewrite inE; apply/eqP/matrixP=> r z.
by rewrite (ord1 z) xC ?inE // mxE.
Qed.

(* A vector that only rows without a place, or the carried row, can see. *)
Lemma pivot A (k : nat) l tau : A \in unitmx -> good A k l tau ->
  exists2 j, j \notin with_place tau l k
    & #|ker A (j |: with_place tau l k) [set x in l]| = 1%N.
Proof.
move=> AU [lU lS ones]; set R := with_place tau l k; set P := [set x in l].
have one := ones k (leqnn k); have lk : (k < size l)%N by rewrite lS.
pose last := nth ord0 l k.
have lE : l = rcons (take k l) last by rewrite -take_nth // take_oversize // lS.
have lastN : last \notin take k l by move: lU; rewrite {1}lE rcons_uniq => /andP[].
have PE : [set x in take k l] = P :\ last.
  apply/setP=> x; rewrite !inE {2}lE mem_rcons inE.
  by case: eqP => [->|//]; rewrite (negPf lastN).
have le2 : (#|ker A R P| <= 2)%N.
  by apply: leq_trans (card_ker_delcol_le _ _ _ last) _; rewrite -PE one.
have all_of_l : take k.+1 l = l by rewrite take_oversize // lS.
have cardR : (#|R| < #|P|)%N.
  rewrite /R /with_place all_of_l -/P (cardsD1 (nth ord0 l (carried_row tau k)) P) inE.
  by rewrite mem_nth ?(carried_lt _ lS).
have gt1 : (1 < #|ker A R P|)%N.
  rewrite card_ker -[X in (X < _)%N](expn0 2) ltn_exp2l // subn_gt0.
  exact: leq_ltn_trans (rank_leq_row _) cardR.
have [v vK v0] := ker_exists gt1.
have Av : A *m v != 0 by apply: contraNneq v0 => Av; rewrite -(mulKmx AU v) Av mulmx0.
have [j Avj] := vec_exists_bit Av; exists j.
  by apply: contra Avj => jR; case/kerP: vK => _ ->.
apply/eqP; rewrite eqn_leq card_ker_gt0 andbT -(leq_pmul2l (isT : (0 < 2)%N)).
by rewrite -(card_ker_addrow vK Avj).
Qed.

Lemma good_step A (k : nat) l tau : A \in unitmx -> (k.+1 < n)%N -> good A k l tau ->
  exists l' tau', good A k.+1 l' tau' /\ forall i : nat, (i < k)%N -> tau' i = tau i.
Proof.
move=> AU kn ok; have [j jR one] := pivot AU ok; have [lU lS ones] := ok.
pose tau' (i : nat) := if i == k then j \notin l else tau i.
have [j' jl' jE] : exists2 j', j' \notin l & j \notin l -> j' = j.
  have [jl|jl] := boolP (j \in l); last by exists j.
  have /existsP[x xl] : [exists x, x \notin l].
    apply: contraLR kn => /existsPn all_in; rewrite -leqNgt -lS.
    have : (size (enum 'I_n) <= size l)%N.
      by apply: uniq_leq_size (enum_uniq _) _ => x _; apply/negPn/all_in.
    by rewrite size_enum_ord.
  by exists x.
have agree (i : nat) : (i < k)%N -> tau' i = tau i by move=> ik; rewrite /tau' ifN //; lia.
exists (rcons l j'), tau'; split=> //; split=> [||q].
- by rewrite rcons_uniq jl'.
- by rewrite size_rcons lS.
rewrite leq_eqVlt => /orP[/eqP->|]; last first.
  rewrite ltnS => qk; have -> : take q (rcons l j') = take q l.
    by rewrite -cats1 takel_cat // lS; lia.
  suff -> : with_place tau' (rcons l j') q = with_place tau l q by apply: ones.
  rewrite /with_place (@eq_carried tau' tau) => [|i iq]; last by apply: agree; lia.
  have lt_l : (carried_row tau q < size l)%N by rewrite lS; have := carried_le tau q; lia.
  by rewrite -cats1 takel_cat ?nth_cat ?lt_l // lS; lia.
set c := nth ord0 l (carried_row tau k); have cl : c \in l by rewrite mem_nth ?(carried_lt _ lS).
have all_of_l : take k.+1 l = l by rewrite take_oversize // lS.
have same_c : carried_row tau' k = carried_row tau k by apply: eq_carried.
have R_l : with_place tau l k = [set x in l] :\ c by rewrite /with_place all_of_l.
have -> : take k.+1 (rcons l j') = l by rewrite -cats1 takel_cat ?lS // all_of_l.
suff -> : with_place tau' (rcons l j') k.+1 = j |: with_place tau l k by [].
rewrite R_l /with_place take_oversize ?size_rcons ?lS //= {1}/tau' eqxx same_c.
have [jl|jl] := boolP (j \in l).
  have jc : j = c by move: jR; rewrite R_l !inE jl andbT negbK => /eqP.
  rewrite /= -lS nth_rcons ltnn eqxx jc; apply/setP=> x; rewrite !inE mem_rcons inE.
  case: (eqVneq x j') => [->|_] /=; last by case: (eqVneq x c) => [->|_]; rewrite ?cl.
  by rewrite (negPf jl') andbF orbF; apply/esym/negbTE; apply: contraNneq jl' => ->.
rewrite /= nth_rcons (carried_lt _ lS) -/c -(jE jl); apply/setP=> x; rewrite !inE mem_rcons inE.
have jc : j' != c by rewrite (jE jl); apply: contraNneq jl => ->.
by case: (eqVneq x j') => [->|_]; rewrite ?jc.
Qed.

Lemma good_exists A : A \in unitmx -> forall k : nat, (k < n)%N -> exists l tau, good A k l tau.
Proof.
move=> AU; elim=> [_|k IH kn]; first by exists [:: ord0], (fun=> false); apply: good_start.
have [l [tau ok]] := IH (ltnW kn); have [l' [tau' [ok' _]]] := good_step AU kn ok.
by exists l', tau'.
Qed.

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

(* B A B^-1 = E_0 ... E_(n-1) V_(n-1) ... V_0, B of the order s. *)
(** Claims: sibeyn.eq1 (there are such factors). *)
Theorem sibeyn_decomposition A : A \in unitmx -> exists s tau (V : 'I_n -> 'M['F_2]_n),
  [/\ forall k : nat, tau k -> (k.+1 < n)%N, forall k, exchange k (V k)
    & renamed A (perm_mx s) = neighbours_back tau (enum 'I_n) *m product V (enum 'I_n)].
Proof.
move=> AU; have [l [tau0 [lU lS ones0]]] := good_exists AU (ltnSn m).
pose tau (k : nat) := (k < m)%N && tau0 k.
have fits (k : nat) : tau k -> (k.+1 < n)%N by move=> /andP[].
have ones (q : nat) : (q <= m)%N -> #|ker A (with_place tau l q) [set x in take q l]| = 1%N.
  move=> qm; have := ones0 q qm; rewrite /with_place (@eq_carried tau0 tau) // => i iq.
  by rewrite /tau (leq_trans iq qm).
have [s sl] := order_of_seq lU lS; pose B := renamed A (perm_mx s).
have PU : perm_mx s \in @unitmx [comUnitRingType of 'F_2] n := unitmx_perm _ s.
pose N := product (neighbours tau) (enum 'I_n) *m B.
have placed_lt (r : 'I_n) : (placed tau r < n)%N.
  rewrite /placed; case tr : (tau r); first exact: fits.
  by apply: leq_ltn_trans (carried_le _ _) _.
pose rho (r : 'I_n) : 'I_n := Ordinal (placed_lt r).
have row_N (x : vec n) r : (N *m x) r 0 = (B *m x) (rho r) 0.
  have := product_places (leqnn n) fits; rewrite take_oversize ?size_enum_ord // => PE.
  rewrite /N PE -mulmxA mxE (bigD1 (rho r)) //= mxE row_at_lt // eqxx mul1r big1 ?addr0 //.
  by move=> c cr; rewrite mxE row_at_lt // -[(_ == _)]/(c == rho r) (negPf cr) mul0r.
have NU : N \in unitmx.
  by rewrite unitmx_mul product_unit_neighbours !unitmx_mul PU AU unitmx_inv.
have kernels (k : nat) : #|ker N (below n k) (below n k)| = 1%N.
  have [nk|kn] := leqP n k.
    have -> : below n k = setT by apply/setP=> i; rewrite !inE (leq_trans _ nk).
    by rewrite card_ker_full mxrank_unit // subnn.
  have -> : ker N (below n k) (below n k) = ker B (rho @: below n k) (below n k).
    apply/setP=> x; apply/kerP/kerP=> -[xC xR]; split=> // i.
      by case/imsetP=> r rk ->; rewrite -row_N xR.
    by move=> ik; rewrite row_N xR // imset_f.
  rewrite card_ker_renamed -/(prefix s k).
  have -> : prefix s k = [set x in take k l].
    by have [_] := sl (Ordinal kn).
  suff -> : s @: (rho @: below n k) = with_place tau l k by rewrite ones // -ltnS.
  have s_nth (i : 'I_n) : s i = nth ord0 l i.
    by have [-> _] := sl i; apply: set_nth_default; rewrite lS.
  apply/setP=> x; have xl : x \in l.
    have sub : {subset l <= enum 'I_n} by move=> y _; rewrite mem_enum.
    have long : (size (enum 'I_n) <= size l)%N by rewrite size_enum_ord lS.
    by have [_ mem] := uniq_min_size lU sub long; rewrite mem mem_enum.
  have xE : (x == nth ord0 l (carried_row tau k)) = (index x l == carried_row tau k).
    rewrite -{1}(nth_index ord0 xl) nth_uniq ?index_mem // lS.
    by apply: leq_ltn_trans (carried_le _ _) kn.
  rewrite /with_place !inE xE in_take //.
  rewrite ltnS andbC -placed_places; apply/imsetP/mapP=> [[_ /imsetP[r rk ->] ->]|[r rk iE]].
    exists (r : nat); first by rewrite mem_iota; move: rk; rewrite inE.
    by rewrite s_nth index_uniq // lS.
  have rn : (r < n)%N by move: rk; rewrite mem_iota => /andP[_ rk]; apply: ltn_trans kn.
  exists (rho (Ordinal rn)); first by apply: imset_f; rewrite inE; move: rk; rewrite mem_iota.
  by rewrite s_nth /= -iE nth_index.
have eU : uniq (enum 'I_n) := enum_uniq _.
have eT : enum 'I_n =i predT by move=> k; rewrite mem_enum.
have takeE (i : nat) : [set x in take i (enum 'I_n)] = below n i.
  apply/setP=> x; rewrite !inE in_take ?mem_enum // index_enum_ord //.
have [|V [eV NV]] := (exchanges_iff_kernels N eU eT).2; first by move=> i; rewrite takeE.
exists s, tau, V; split=> //.
by rewrite -NV /N mulmxA neighbours_cancel mul1mx.
Qed.

End Sibeyn.
