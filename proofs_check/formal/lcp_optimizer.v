(* Hou, Wang, Ku, Hsu: LCP_Optimizer (Fig. 3) as a program with its arrays D, V, Q, d, R.

   D is the matrix with its rows and columns exchanged, V is reduced to find independent rows, R
   marks the rows found. Before iteration i, column c < i of V has a single 1, in row f(c), and the
   rows f(0), ..., f(i-1) are the marked ones, all among rows 0, ..., i (`reduced`). If no unmarked
   row had a 1 in column i, that column would be a sum of earlier ones; so line 7 finds a row.

   Reducing V never changes a rank that the text speaks of. Row j, the one found, is 0 in columns
   c < i. A row k > j that it is subtracted from comes after it: a row operation inside L_p, or
   outside. A row k < j is marked, k = f(c): then x -> x + (Vx)_j e_c takes one kernel to the other
   (`card_ker_row_sub`). To go on after an exchange, which is no matter of rows 0, ..., p-1 alone,
   the induction carries any set of rows that holds 0, ..., i, and any set of columns that holds
   0, ..., i-1 (`same_up`, `same_in`).

   arrays == D, V, Q, d and R of Fig. 3
   here i == i as one of n = m+1 indices
   next i == i+1
   start A b == D = V = A, Q = I, d = b, R = 0
   search i s == line 7: the first unmarked row with a 1 in column i of V, if any
   swap_both p q M == rows p and q of M exchanged, and columns p and q
   settle i j s == lines 8 to 12: rows and columns j and i+1 exchanged if j > i+1; where row j is
   row_sub j k M == row j added to row k
   reduce c j s k == line 14 for one row: row j of V added to row k where it has a 1 in column c
   mark j s == line 15: row j is marked
   iteration i s == lines 7 to 15
   moments i s == the arrays after each line of iteration i
   at_iteration A b i == the arrays at the beginning of iteration i, if line 7 found a row so far
   lcp_optimizer A b == the arrays at the end *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice reordering ecube.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** The program *)

Section Program.

Variable m : nat.
Local Notation n := m.+1.

Record arrays := Arrays {
  aD : 'M['F_2]_n; aV : 'M['F_2]_n; aQ : 'M['F_2]_n; ad : vec n; aR : vec n }.

Implicit Types (i : 'I_m) (j k r c : 'I_n) (s : arrays) (M : 'M['F_2]_n).

(* Column i and row i + 1 of an iteration i = 0, ..., n-2. *)
Definition here i : 'I_n := widen_ord (leqnSn m) i.
Definition next i : 'I_n := lift ord0 i.

(* Initial values; lines 2 and 3. *)
Definition start (A : 'M['F_2]_n) b := Arrays A A 1%:M b 0.

(* Lines 6 and 7: the first row that is not marked and has a 1 in column i. *)
Definition search i s : option 'I_n :=
  insub (find (fun j => (aV s j (here i) != 0) && (aR s j 0 == 0)) (enum 'I_n)).

(* Lines 8 to 13. *)
Definition swap_both p q M := xcol p q (xrow p q M).

Definition settle i j s := if (i.+1 < j)%N then
  let k := next i in
  (Arrays (swap_both k j (aD s)) (swap_both k j (aV s)) (xrow k j (aQ s)) (xrow k j (ad s))
          (xrow k j (aR s)), k)
  else (s, j).

(* Lines 14 and 15; subtracting is adding. *)
Definition row_sub j k M : 'M['F_2]_n :=
  \matrix_(r, c) (if r == k then M r c + M j c else M r c).

Definition reduce c j s k := if (k != j) && (aV s k c != 0)
  then Arrays (aD s) (row_sub j k (aV s)) (aQ s) (ad s) (aR s) else s.

(* Line 16. *)
Definition mark j s :=
  Arrays (aD s) (aV s) (aQ s) (ad s) (\col_r (if r == j then 1 else aR s r 0)).

(* One iteration; None if line 7 found no row. *)
Definition iteration i s := if search i s is Some j then
  let: (s', j') := settle i j s in Some (mark j' (foldl (reduce (here i) j') s' (enum 'I_n)))
  else None.

(* The arrays at the beginning of iteration i, after line 13, and after every row of line 15. *)
Definition moments i s := if search i s is Some j then
  let: (s', j') := settle i j s in s :: s' :: scanl (reduce (here i) j') s' (enum 'I_n)
  else [:: s].

(* At the beginning of iteration i; at its end, where iteration n-1 would begin. *)
Definition at_iteration A b (i : nat) :=
  foldl (fun found i => obind (iteration i) found) (Some (start A b)) (take i (enum 'I_m)).

Definition lcp_optimizer A b := at_iteration A b m.

(** ** Row operations *)

Lemma row_sub_mul j k M x r :
  (row_sub j k M *m x) r 0 = (M *m x) r 0 + (if r == k then (M *m x : vec n) j 0 else 0).
Proof.
rewrite !mxE; case: (eqVneq r k) => [->|rk]; last first.
  by rewrite addr0; apply: eq_bigr => c _; rewrite mxE (negPf rk).
by rewrite -big_split; apply: eq_bigr => c _; rewrite mxE eqxx mulrDl.
Qed.

Lemma ker_row_sub j k M (S C : bits n) : k != j -> (k \in S -> j \in S) ->
  ker (row_sub j k M) S C = ker M S C.
Proof.
move=> kj kS; apply/setP=> x; apply/kerP/kerP=> -[xC xS]; split=> // r rS.
  have := xS r rS; rewrite row_sub_mul; case: eqP => [rk|_]; last by rewrite addr0.
  by have := xS j; rewrite row_sub_mul eq_sym (negPf kj) addr0 => ->; rewrite ?addr0 // kS -?rk.
by rewrite row_sub_mul xS //; case: eqP => [rk|_]; rewrite ?addr0 // add0r xS // kS -?rk.
Qed.

(* Where column c of M is the unit vector of row k, and bit c is free. *)
Lemma card_ker_row_sub j k c M (S C : bits n) : k != j -> j \notin S -> c \in C ->
  (forall r, M r c = (r == k)%:R) -> #|ker (row_sub j k M) S C| = #|ker M S C|.
Proof.
move=> kj jS cC Mc; pose phi (x : vec n) : vec n := x + (M *m x) j 0 *: delta_mx c 0.
have Mphi x r : (M *m phi x) r 0 = (M *m x) r 0 + (M *m x) j 0 * (r == k)%:R.
  by rewrite mulmxDr -scalemxAr -colE mxE; congr (_ + _); rewrite !mxE Mc.
have phij x : (M *m phi x) j 0 = (M *m x) j 0.
  by rewrite Mphi eq_sym (negPf kj) mulr0 addr0.
have phiK : involutive phi by move=> x; rewrite {1}/phi phij /phi vec_addK.
rewrite -(card_imset (mem (ker M S C)) (inv_inj phiK)); apply: eq_card => x.
have kers y : (phi y \in ker M S C) = (y \in ker (row_sub j k M) S C).
  apply/kerP/kerP=> -[yC yS]; split=> r rX.
  - have := yC r rX; rewrite !mxE; have [rc|] := eqVneq r c; first by rewrite rc cC in rX.
    by rewrite mulr0 addr0.
  - rewrite row_sub_mul; have := yS r rX; rewrite Mphi.
    by case: eqP; rewrite ?mulr1 ?mulr0.
  - rewrite !mxE yC //; have [rc|] := eqVneq r c; first by rewrite rc cC in rX.
    by rewrite mulr0 addr0.
  have := yS r rX; rewrite row_sub_mul Mphi.
  by case: eqP; rewrite ?mulr1 ?mulr0.
apply/idP/imsetP=> [xK|[y yK ->]]; last by rewrite -kers phiK.
by exists (phi x); rewrite ?phiK // kers.
Qed.

(** ** Exchanges *)

Lemma swap_bothE p q M : swap_both p q M = renamed M (perm_mx (tperm p q)).
Proof.
rewrite /swap_both /renamed xcolE xrowE /tperm_mx; congr (_ *m _).
apply: (can_inj (mulKmx (unitmx_perm _ (tperm p q)))).
by rewrite mulmxV ?unitmx_perm // -perm_mxM tperm2 perm_mx1.
Qed.

Lemma swap_both_entry p q M r c : swap_both p q M r c = M (tperm p q r) (tperm p q c).
Proof. by rewrite !mxE. Qed.

Lemma tperm_below (p q : 'I_n) (t : nat) : (t <= p)%N -> (t <= q)%N ->
  tperm p q @: below n t = below n t.
Proof.
move=> tp tq; rewrite -[RHS]imset_id; apply: eq_in_imset => r; rewrite inE => lt_rt.
by rewrite tpermD // neq_ltn; apply/orP; right; apply: leq_trans lt_rt _.
Qed.

Lemma tperm_above (p q : 'I_n) (t : nat) : (p < t)%N -> (q < t)%N ->
  tperm p q @: below n t = below n t.
Proof.
move=> pt qt; apply/eqP; rewrite eqEcard card_imset ?leqnn ?andbT; last exact: perm_inj.
by apply/subsetP=> _ /imsetP[r rt ->]; rewrite inE; case: tpermP => [_|_|_ _] //; rewrite inE in rt.
Qed.

(** ** What holds at the beginning of an iteration *)

Section Invariant.

Variables (A : 'M['F_2]_n) (b : vec n).
Hypothesis AU : A \in unitmx.

(* Sets of columns: 0, ..., q-1 for q <= i, or any that holds 0, ..., i-1. *)
Definition fit (i : nat) (C : bits n) :=
  (exists2 q, (q <= i)%N & C = below n q) \/ below n i \subset C.

(* D and V have kernels of the same size. *)
Definition same s (S C : bits n) := #|ker (aD s) S C| = #|ker (aV s) S C|.

(* What the exchanges leave behind. *)
Definition renamed_by s :=
  [/\ exists t : 'S_n, aQ s = perm_mx t, aD s = renamed A (aQ s) & ad s = aQ s *m b].

(* Column c < i of V is the unit vector of row f(c); these rows are marked, all among 0, ..., i. *)
Definition reduced (i : nat) s (f : 'I_n -> 'I_n) :=
  [/\ forall c, (c < i)%N -> (f c <= i)%N /\ forall r, aV s r c = (r == f c)%:R,
      {in below n i &, injective f}
    & forall r, aR s r 0 = (r \in f @: below n i)%:R].

Record invariant (i : nat) s f : Prop := Invariant {
  by_exchanges : renamed_by s;
  by_rows : reduced i s f;
  same_in : forall p (C : bits n), fit i C -> same s (below n p) C;
  same_up : forall S C : bits n, below n i.+1 \subset S -> same s S C;
  optimal : forall r : nat, (r <= i)%N -> #|ker (aD s) (below n r.+1) (below n r)| = 1%N
}.

Lemma fitW (i : nat) C : fit i.+1 C -> fit i C.
Proof.
case=> [[q]|sub]; last by right; apply: subset_trans sub; apply/subsetP=> r; rewrite !inE => /ltnW.
rewrite leq_eqVlt => /orP[/eqP-> ->|qi ->]; last by left; exists q.
by right; apply/subsetP=> r; rewrite !inE => /ltnW.
Qed.

Lemma fit_below (i q : nat) : fit i (below n q).
Proof.
have [qi|iq] := leqP q i; first by left; exists q.
by right; apply/subsetP=> r; rewrite !inE => /leq_trans; apply; apply: ltnW.
Qed.

Lemma below0 : below n 0 = set0. Proof. by apply/setP=> r; rewrite !inE. Qed.

Lemma ker_no_columns (p : nat) (R : bits p) (X : 'M['F_2]_(p, n)) : #|ker X R (below n 0)| = 1%N.
Proof.
apply/eqP; rewrite card_ker1; apply/subsetP=> x /kerP[xC _]; rewrite inE; apply/eqP/matrixP=> r z.
by rewrite (ord1 z) xC ?mxE // below0 inE.
Qed.

Lemma start_invariant : invariant 0 (start A b) id.
Proof.
split=> //=; last by move=> r; rewrite leqn0 => /eqP->; exact: ker_no_columns.
  by split; [exists 1%g; rewrite perm_mx1|rewrite /renamed mul1mx invmx1 mulmx1|rewrite mul1mx].
by split=> // r; rewrite below0 imset0 inE mxE.
Qed.

(* Line 7 finds a row. *)
Lemma search_finds i s f : invariant i s f -> exists j, [/\ search i s = Some j,
  aV s j (here i) != 0, aR s j 0 = 0
  & forall k, (k < j)%N -> aV s k (here i) != 0 -> aR s k 0 != 0].
Proof.
move=> [[[t QE] DE _] [cols inj marks] _ up _].
set P := fun j => (aV s j (here i) != 0) && (aR s j 0 == 0).
have [hasP|none] := boolP (has P (enum 'I_n)).
  have lt_n : (find P (enum 'I_n) < n)%N by rewrite -[X in (_ < X)%N](size_enum_ord n) -has_find.
  exists (Ordinal lt_n); have := nth_find ord0 hasP.
  rewrite (_ : nth ord0 _ _ = Ordinal lt_n); last exact: (nth_ord_enum ord0 (Ordinal lt_n)).
  case/andP=> Vj /eqP Rj; split=> //; first by rewrite /search insubT.
  move=> k lt_k Vk; have := before_find ord0 lt_k; rewrite nth_ord_enum /P Vk /= => /negbT //.
have unmarked r : aV s r (here i) != 0 -> r \in f @: below n i.
  move=> Vr; have /hasPn/(_ r) := none; rewrite mem_enum => /(_ isT); rewrite /P Vr /=.
  by rewrite marks; case: (r \in _).
(* Then column i is a sum of columns before it. *)
pose x : vec n := \col_c (if (c < i)%N then aV s (f c) (here i) else (c == here i)%:R).
have : x \in ker (aV s) setT setT.
  rewrite ker_full inE; apply/eqP/matrixP=> r z; rewrite (ord1 z) [RHS]mxE [LHS]mxE.
  rewrite (bigID (fun c : 'I_n => (c < i)%N)) /= addrC (bigD1 (here i)) ?ltnn //= big1 => [|c].
    rewrite addr0 [x _ _]mxE ltnn eqxx mulr1.
    have [rF|rF] := boolP (r \in f @: below n i); last first.
      rewrite (_ : aV s r (here i) = 0) ?add0r; last by apply/eqP; apply: contraNT rF => /unmarked.
      rewrite big1 // => c ci; rewrite (cols c ci).2; case: eqP => [rE|_]; last by rewrite mul0r.
      by rewrite rE imset_f ?inE in rF.
    have [c ci rE] := imsetP rF; rewrite inE in ci.
    rewrite (bigD1 c) //= (cols c ci).2 rE eqxx mul1r [x _ _]mxE ci addrA f2_addxx add0r.
    rewrite big1 // => c' /andP[c'i c'c]; rewrite (cols c' c'i).2; case: eqP => [fE|_];
      last by rewrite mul0r.
    rewrite [x _ _]mxE c'i.
    by move: c'c; rewrite (inj c c') ?inE ?eqxx.
  by rewrite -leqNgt => /andP[ci cn]; rewrite [x _ _]mxE ltnNge ci /= (negPf cn) mulr0.
have ker1 : #|ker (aV s) setT setT| = 1%N.
  rewrite -up ?subsetT // card_ker_full DE rank_renamed ?QE ?unitmx_perm // mxrank_unit //.
  by rewrite subnn.
have /eqP := ker1; rewrite card_ker1 => /subsetP sub /sub;
  rewrite inE => /eqP/matrixP/(_ (here i) 0).
by rewrite !mxE ltnn eqxx => /eqP; rewrite oner_eq0.
Qed.

(* After lines 6 to 13, and while rows are subtracted: row j has the first 1 in column i that is in
   no marked row. *)
Record middle i j s f : Prop := Middle {
  mid_exchanges : renamed_by s;
  mid_rows : reduced i s f;
  mid_in : forall p (C : bits n), fit i C -> same s (below n p) C;
  mid_up : forall S C : bits n, below n i.+2 \subset S -> same s S C;
  mid_optimal : forall r : nat, (r <= i)%N -> #|ker (aD s) (below n r.+1) (below n r)| = 1%N;
  pivot_low : (j <= i.+1)%N;
  pivot_free : aR s j 0 = 0;
  pivot_one : aV s j (here i) != 0;
  pivot_first : forall k, (k < j)%N -> aV s k (here i) != 0 -> aR s k 0 != 0
}.

Lemma settle_middle i j s f : invariant i s f -> aV s j (here i) != 0 -> aR s j 0 = 0 ->
  (forall k, (k < j)%N -> aV s k (here i) != 0 -> aR s k 0 != 0) ->
  middle i (settle i j s).2 (settle i j s).1 f.
Proof.
move=> [ex rows inn up opt] Vj Rj first; rewrite /settle; case: ltnP => [lt_ij|le_ji] /=;
  last first.
  split=> // S C sub; apply: up; apply: subset_trans sub; apply/subsetP=> r.
  by rewrite !inE => /ltnW.
set p := next i; have pE : p = i.+1 :> nat by rewrite /p lift0.
have lt_ip : (i < p)%N by rewrite pE.
have fixed r : (r <= i)%N -> tperm p j r = r.
  by move=> ri; rewrite tpermD // -val_eqE neq_ltn ?pE ?ltnS ?ri ?orbT // (leq_ltn_trans ri) ?orbT
    // ltnW.
have fixb (t : nat) : (t <= i.+1)%N -> tperm p j @: below n t = below n t.
  by move=> ti; apply: tperm_below; rewrite ?pE // (leq_trans ti) // ltnW.
have sizes (S C : bits n) : same s (tperm p j @: S) (tperm p j @: C) ->
    #|ker (swap_both p j (aD s)) S C| = #|ker (swap_both p j (aV s)) S C|.
  by rewrite /same => eqs; rewrite 2!swap_bothE (card_ker_renamed (aD s)) (card_ker_renamed (aV s)).
have fit_tperm C : fit i C -> fit i (tperm p j @: C).
  case=> [[q qi ->]|sub]; first by left; exists q => //; rewrite fixb // ltnW.
  by right; rewrite -(fixb i (leqnSn i)) imsetS.
have big (S : bits n) : below n i.+1 \subset S -> below n i.+1 \subset tperm p j @: S.
  by move=> sub; rewrite -(fixb i.+1 (leqnn _)) imsetS.
split=> /=.
- have [[t QE] DE dE] := ex; split.
  + by exists (tperm p j * t)%g; rewrite xrowE QE -perm_mxM.
  + by rewrite swap_bothE DE renamed_mul ?unitmx_perm // ?xrowE // QE unitmx_perm.
  by rewrite !xrowE dE mulmxA.
- have [cols inj marks] := rows; split=> // [c ci|r].
    split; first by case: (cols c ci).
    move=> r; rewrite swap_both_entry (fixed c (ltnW ci)) (cols c ci).2; congr (_ : bool)%:R.
    by rewrite -{1}(fixed (f c) (cols c ci).1) (inj_eq perm_inj).
  rewrite mxE marks; congr (_ : bool)%:R; apply/imsetP/imsetP=> -[c ci rE]; exists c => //.
    by apply: (@perm_inj _ (tperm p j)); rewrite rE fixed //; rewrite inE in ci; case: (cols c ci).
  by rewrite rE fixed //; rewrite inE in ci; case: (cols c ci).
- move=> t C /fit_tperm fC; apply: sizes.
  have [ti|lt_it] := leqP t i.+1; first by rewrite fixb //; apply: inn.
  by apply: up; apply: big; apply/subsetP=> r; rewrite !inE => /leq_trans; apply; apply: ltnW.
- move=> S C sub; apply: sizes; apply/up/big; apply: subset_trans sub.
  by apply/subsetP=> r; rewrite !inE => /ltnW.
- by move=> r ri; rewrite swap_bothE card_ker_renamed !fixb ?ltnS ?opt // ltnW.
- exact: leqnn.
- by rewrite mxE tpermL.
- by rewrite swap_both_entry tpermL fixed.
move=> k; rewrite -[bump 0 i]/(nat_of_ord p) pE ltnS => ki; rewrite swap_both_entry !mxE !fixed //.
by apply: first; rewrite (leq_ltn_trans ki) // ltnW.
Qed.

(* One row of lines 14 and 15. *)
Lemma reduce_middle i j s f k : middle i j s f ->
  middle i j (reduce (here i) j s k) f
  /\ forall r, aV (reduce (here i) j s k) r (here i)
               = if (r == k) && (k != j) then 0 else aV s r (here i).
Proof.
move=> mid; have [ex rows inn up opt low free one first] := mid.
rewrite /reduce; have [->|kj] := eqVneq k j; first by split=> // r; rewrite andbF.
have [Vk|Vk] := eqVneq (aV s k (here i)) 0.
  by split=> //= r; rewrite andbT; case: eqP => // ->.
have [cols inj marks] := rows; have row_j c : (c < i)%N -> aV s j c = 0.
  move=> ci; rewrite (cols c ci).2; case: eqP => // jE.
  by move: free; rewrite marks jE imset_f ?inE // => /eqP; rewrite oner_eq0.
rewrite /=; split=> [|r]; last first.
  rewrite mxE andbT; case: eqP => // ->; move: Vk one; rewrite !f2_neq0 => /eqP-> /eqP->.
  exact: f2_addxx.
split=> //=.
- split=> // c ci; have [fi Vc] := cols c ci; split=> // r; rewrite mxE -Vc row_j // addr0.
  by case: ifP.
- move=> p C fitC; rewrite /same /=; have [jp|pj] := ltnP j p.
    by rewrite (ker_row_sub _ _ kj) ?inE ?jp //; apply: inn.
  have [kp|pk] := ltnP k p; last first.
    by rewrite (ker_row_sub _ _ kj) ?inE ?[(k < p)%N]ltnNge ?pk //; apply: inn.
  have := first k (leq_trans kp pj) Vk; rewrite marks; case: imsetP => [[c ci kE] _|_]; last first.
    by rewrite eqxx.
  rewrite inE in ci; case: (fitC) => [[q qi CE]|sub].
    rewrite (inn _ _ fitC); congr #|pred_of_set _|; apply/setP=> x; rewrite CE.
    have zero : x \in ker (aV s) set0 (below n q) -> (aV s *m x) j 0 = 0.
      move=> /kerP[xC _]; rewrite mxE big1 // => c' _.
      have [c'q|qc'] := ltnP c' q; first by rewrite row_j ?mul0r // (leq_trans c'q).
      by rewrite xC ?mulr0 // inE -leqNgt.
    have small M : x \in ker M (below n p) (below n q) -> x \in ker (aV s) set0 (below n q).
      by move=> /kerP[xC _]; apply/kerP; split=> // r; rewrite inE.
    apply/idP/idP=> xK; have /kerP[xC xR] := xK; apply/kerP; split=> // r rp.
      by rewrite row_sub_mul zero ?(small _ xK) // if_same addr0 xR.
    by have := xR r rp; rewrite row_sub_mul zero ?(small _ xK) // if_same addr0.
  have jp' : j \notin below n p by rewrite inE -leqNgt.
  have cC : c \in C by apply: (subsetP sub); rewrite inE.
  have Vc r : aV s r c = (r == k)%:R by rewrite (cols c ci).2 kE.
  by rewrite (card_ker_row_sub kj jp' cC Vc); apply: inn.
- move=> S C sub; rewrite /same /= (ker_row_sub _ _ kj); first exact: up.
  by move=> _; apply: (subsetP sub); rewrite inE ltnS.
- by rewrite mxE [j == k]eq_sym (negPf kj).
move=> r rj; rewrite mxE; case: (eqVneq r k) => [rk _|_]; last exact: first.
by rewrite rk in rj *; apply: first.
Qed.

Lemma reduce_all i j s f l : middle i j s f -> uniq l ->
  (forall t : nat, middle i j (foldl (reduce (here i) j) s (take t l)) f)
  /\ forall r, aV (foldl (reduce (here i) j) s l) r (here i)
               = if (r \in l) && (r != j) then 0 else aV s r (here i).
Proof.
elim: l s => [|k l IH] s mid; first by [].
move=> /= /andP[kl lU]; have [mid' col] := reduce_middle k mid.
have [mids cols] := IH _ mid' lU; split=> [[|t]|r]; [exact: mid|exact: (mids t)|].
rewrite cols col inE; have [->|rk] := eqVneq r k; last by [].
by rewrite (negPf kl); case: eqP.
Qed.

Lemma finish i j s f : middle i j s f -> (forall r, aV s r (here i) = (r == j)%:R) ->
  invariant i.+1 (mark j s) (fun c => if c == here i then j else f c).
Proof.
move=> [ex [cols inj marks] inn up opt low free one first] col; set f' := fun c => _.
have lt_here c : (c < i)%N -> (c == here i) = false.
  by move=> ci; apply/eqP=> cE; rewrite cE ltnn in ci.
have f'E c : (c < i)%N -> f' c = f c by rewrite /f' => /lt_here ->.
have f'j : f' (here i) = j by rewrite /f' eqxx.
have split_i c : (c < i.+1)%N -> c = here i \/ (c < i)%N.
  by rewrite ltnS leq_eqVlt => /orP[/eqP cE|]; [left; apply: val_inj|right].
have new c : (c < i)%N -> f c != j.
  by move=> ci; apply/eqP=> fj; move: free; rewrite marks -fj imset_f ?inE.
have inj' : {in below n i.+1 &, injective f'}.
  move=> c c'; rewrite !inE => /split_i[->|ci] /split_i[->|c'i]; rewrite ?f'j ?f'E //.
  - by move/eqP; rewrite eq_sym (negPf (new _ c'i)).
  - by move/eqP; rewrite (negPf (new _ ci)).
  by apply: inj; rewrite inE.
have cols' c : (c < i.+1)%N -> (f' c <= i.+1)%N /\ forall r, aV s r c = (r == f' c)%:R.
  move=> /split_i[->|ci]; first by rewrite f'j.
  by rewrite f'E //; have [fi Vc] := cols c ci; split=> //; apply: leqW.
split=> //.
- split=> // r; rewrite mxE marks; have -> : f' @: below n i.+1 = j |: f @: below n i.
    apply/setP=> x; rewrite !inE; apply/imsetP/orP=> [[c]|[/eqP->|/imsetP[c ci ->]]].
    + rewrite inE => /split_i[->|ci] ->; first by left; rewrite f'j.
      by right; rewrite f'E // imset_f // inE.
    + by exists (here i); rewrite ?inE ?f'j.
    by exists c; rewrite ?inE ?f'E //; move: ci; rewrite inE // => /ltnW.
  by rewrite !inE; case: eqP.
- by move=> p C /fitW; apply: inn.
move=> r; rewrite leq_eqVlt => /orP[/eqP->|]; last by rewrite ltnS; apply: opt.
rewrite (inn _ _ (fit_below _ _)); apply/eqP; rewrite card_ker1; apply/subsetP=> x /kerP[xC xR].
rewrite inE; apply/eqP/matrixP=> c z; rewrite (ord1 z) [RHS]mxE.
have [ci|ci] := ltnP c i.+1; last by rewrite xC // inE -leqNgt.
rewrite -[RHS](xR (f' c)); last by rewrite inE ltnS; case: (cols' c ci).
rewrite mxE (bigD1 c) //= (cols' c ci).2 eqxx mul1r big1 ?addr0 // => c' c'c.
have [c'i|c'i] := ltnP c' i.+1; last by rewrite xC ?mulr0 // inE -leqNgt.
rewrite (cols' c' c'i).2; case: eqP => [fE|_]; last by rewrite mul0r.
by move: c'c; rewrite (inj' c c') ?inE ?eqxx.
Qed.

Lemma iterate i s f : invariant i s f ->
  (exists s' f', iteration i s = Some s' /\ invariant i.+1 s' f')
  /\ forall (t p q : nat), same (nth s (moments i s) t) (below n p) (below n q).
Proof.
move=> inv; have [j [found Vj Rj first]] := search_finds inv.
have := settle_middle inv Vj Rj first; rewrite /iteration /moments found.
case: (settle i j s) => s' j' /= mid.
have [mids col] := reduce_all mid (enum_uniq 'I_n).
split.
  exists (mark j' (foldl (reduce (here i) j') s' (enum 'I_n))), (fun c =>
    if c == here i then j' else f c).
  split=> //; apply: finish => [|r]; first by have := mids n; rewrite take_oversize ?size_enum_ord.
  rewrite col mem_enum /=; case: eqP => [->|_] //=.
  by have := pivot_one mid; rewrite f2_neq0 => /eqP.
have sizes s0 : middle i j' s0 f -> forall p q : nat, same s0 (below n p) (below n q).
  by move=> mid0 p q; apply: (mid_in mid0); apply: fit_below.
move=> [|[|t]] p q /=; [by apply: (same_in inv); apply: fit_below|exact: sizes|].
have [lt_t|le_t] := ltnP t (size (scanl (reduce (here i) j') s' (enum 'I_n))); last first.
  by rewrite nth_default //; apply: (same_in inv); apply: fit_below.
by rewrite nth_scanl -?(size_scanl (reduce (here i) j') s') //; apply: sizes.
Qed.

Lemma reach (k : nat) : (k <= m)%N -> exists s f, at_iteration A b k = Some s /\ invariant k s f.
Proof.
elim: k => [_|k IH lt_km].
  by exists (start A b), id; rewrite /at_iteration take0; split=> //; apply: start_invariant.
have [s [f [sE inv]]] := IH (ltnW lt_km); pose i := Ordinal lt_km.
have [[s' [f' [itE inv']]] _] := @iterate i s f inv.
exists s', f'; split=> //; rewrite /at_iteration (take_nth i) ?size_enum_ord // foldl_rcons.
by rewrite -[foldl _ _ _]/(at_iteration A b k) sE (nth_ord_enum i i).
Qed.

Lemma same_rank s (p q : nat) : same s (below n p) (below n q) ->
  \rank (minor (aD s) (below n p) (below n q)) = \rank (minor (aV s) (below n p) (below n q)).
Proof.
rewrite /same !card_ker => /eqP; rewrite eqn_exp2l // => /eqP eqs.
have le M := rank_leq_col (minor M (below n p) (below n q)).
by rewrite -[LHS](subKn (le _)) eqs subKn.
Qed.

Lemma optimal_rank s (r : nat) : (r <= n)%N -> #|ker (aD s) (below n r.+1) (below n r)| = 1%N ->
  \rank (minor (aD s) (below n r.+1) (below n r)) = r.
Proof.
move=> rn /eqP; rewrite card_ker_below // -[X in _ == X](expn0 2) eqn_exp2l // subn_eq0 => le_r.
by apply/eqP; rewrite eqn_leq le_r andbT -[X in (_ <= X)%N](card_below rn) rank_leq_col.
Qed.

(* Whatever moment of the processing: the beginning of an iteration, after an exchange, after each
   subtraction of a row. *)
(** Claims: hou.fig3.invariant1. *)
Theorem fig3_invariant_1 i s (t p q : nat) : at_iteration A b i = Some s ->
  let now := nth s (moments i s) t in
  \rank (minor (aD now) (below n p) (below n q)) = \rank (minor (aV now) (below n p) (below n q)).
Proof.
move=> sE; have [s' [f [sE' inv]]] := reach (ltnW (ltn_ord i)).
by move: sE'; rewrite sE => -[ss]; rewrite -ss in inv; apply/same_rank/(iterate inv).2.
Qed.

(** Claims: hou.fig3.invariant2. *)
Theorem fig3_invariant_2 (i : nat) s (r : nat) : (i <= m)%N ->
  at_iteration A b i = Some s -> (r <= i)%N ->
  \rank (minor (aD s) (below n r.+1) (below n r)) = r
  /\ \rank (minor (aV s) (below n r.+1) (below n r)) = r.
Proof.
move=> im sE ri; have [s' [f [sE' inv]]] := reach im; move: sE'; rewrite sE => -[ss];
  rewrite -ss in inv.
have rn : (r <= n)%N by apply: leq_trans ri (leqW im).
rewrite -same_rank; last exact: (same_in inv _ (fit_below _ _)).
by have rankE := optimal_rank rn (optimal inv ri); rewrite rankE.
Qed.

(* i rows are marked, all among 0, ..., i, with one 1 before column i;
   all other rows are 0 there. *)
(** Claims: hou.fig3.invariant3. *)
Theorem fig3_invariant_3 (i : nat) s : (i <= m)%N -> at_iteration A b i = Some s ->
  [/\ #|[set r | aR s r 0 == 1]| = i,
      forall r, aR s r 0 = 1 -> (r <= i)%N /\ #|[set c in below n i | aV s r c != 0]| = 1%N
    & forall r c, aR s r 0 = 0 -> (c < i)%N -> aV s r c = 0].
Proof.
move=> im sE; have [s' [f [sE' inv]]] := reach im; move: sE'; rewrite sE => -[ss];
  rewrite -ss in inv.
have [cols inj marks] := by_rows inv.
have marked r : (aR s r 0 == 1) = (r \in f @: below n i) by rewrite marks; case: (r \in _).
split=> [|r|r c].
- rewrite (_ : [set r | _] = f @: below n i); last by apply/setP=> r; rewrite inE marked.
  by rewrite card_in_imset // card_below // leqW.
- move/eqP; rewrite marked => /imsetP[c ci ->]; rewrite inE in ci; have [fi _] := cols c ci.
  split=> //; apply/eqP/cards1P; exists c; apply/setP=> c'; rewrite !inE.
  have [->|c'c] := eqVneq c' c; first by rewrite ci (cols c ci).2 eqxx.
  have [c'i|//] := boolP (c' < i)%N; rewrite (cols c' c'i).2; case: (f c =P f c') => // fE.
  by case/eqP: c'c; apply: inj; rewrite ?inE.
move=> Rr ci; rewrite (cols c ci).2; case: eqP => // rE.
by move: Rr; rewrite marks rE imset_f ?inE // => /eqP; rewrite oner_eq0.
Qed.

(* LCP_Optimizer ends, line 7 always finds a row, and it returns what Theorem 4 promises. *)
(** Claims: hou.fig3. *)
Theorem lcp_optimizer_correct : exists s (t : 'S_n), [/\ lcp_optimizer A b = Some s,
  aQ s = perm_mx t, aD s = renamed A (aQ s), ad s = aQ s *m b
  & forall r, \rank (minor (aD s) (below n r.+1) (below n r)) = r].
Proof.
have [s [f [sE inv]]] := reach (leqnn m); have [[t QE] DE dE] := by_exchanges inv.
exists s, t; split=> // r; apply: (optimal_rank (ltnW (ltn_ord r))).
by apply: (optimal inv); rewrite -ltnS.
Qed.

End Invariant.
End Program.
