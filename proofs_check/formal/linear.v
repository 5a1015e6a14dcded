(* Linear mappings on the Origin: the least degree over all nonsingular Q, for every rank.

   No message leaves its router just when every displacement A x + x + b is 0 or Q^-1 e_0, so degree
   0 can be had if all displacements are in {0, v} for one v. Otherwise the least degree is
   2^(n-1-rank A), which is 1 for rank A >= n-1 (Lemmas 5 and 7 of Hou et al., put right).

   For rank A >= n-1 choose Q first so that row 0 of B = Q A Q^-1 is 0, or e_(n-1): a row vector q
   with q A = 0 as row 0, or one with q A <> q as row 0 and q A as row n-1.
   Then go down from the last
   bit. The kernel of rows 1 .. k-1 on columns 0 .. k-1 has one vector w besides 0; if w is 0 at bit
   k-1, take a bit j with w_j = 1 and add row j to row k-1 (and column k-1 to column j).
   This moves w to a vector that is 1 at bit k-1, keeps row 0 and every kernel with more columns.

   displaced_by A b v == A x + x + b is 0 or v for every x
   row0_off w == the identity with w in column 0, but for its first entry
   origin_least A b == 0 if one v displaces all, else 2^(n-rank A), for n+1 bits *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice reordering ecube origin.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Linear.

Variables (n : nat).
Local Notation m := n.+1.
Implicit Types (A B P Q : 'M['F_2]_m) (b v x : vec m) (i j k : 'I_m).

(** ** Choosing rows of Q *)

Lemma row_choice (q : 'rV['F_2]_m) : q != 0 -> exists2 Q, Q \in unitmx & row ord0 Q = q.
Proof.
move=> q0; pose f := \matrix_(i < m) (if i == ord0 then q else 0 : 'rV_m).
have rk (r : 'rV['F_2]_m) : r != 0 -> \rank r = 1%N.
  by move=> r0; apply/eqP; rewrite eqn_leq rank_leq_row lt0n mxrank_eq0.
have fq : delta_mx 0 ord0 *m f = q by rewrite -rowE rowK eqxx.
have [|Q QU QE] := @complete_unitmx _ 1 m (delta_mx 0 ord0) f.
  rewrite fq !rk //; apply/eqP=> /matrixP/(_ 0 ord0); rewrite !mxE !eqxx => /eqP.
  by rewrite oner_eq0.
by exists Q => //; rewrite rowE -QE fq.
Qed.

Lemma two_rows (q r : 'rV['F_2]_m) : q != 0 -> r != 0 -> q != r -> (0 < n)%N ->
  exists Q, [/\ Q \in unitmx, row ord0 Q = q & row ord_max Q = r].
Proof.
move=> q0 r0 qr n0.
have free2 (u w : 'rV['F_2]_m) : u != 0 -> w != 0 -> u != w -> \rank (col_mx u w) = 2%N.
  move=> u0 w0 uw; apply/eqP; change (row_free (col_mx u w)); rewrite -kermx_eq0 -submx0.
  apply/rV_subP=> c /sub_kermxP; rewrite -[c]hsubmxK mul_row_col.
  rewrite [lsubmx c]mx11_scalar [rsubmx c]mx11_scalar !mul_scalar_mx.
  set a := lsubmx c 0 0; set d := rsubmx c 0 0.
  have two (e : 'F_2) : e = 0 \/ e = 1.
    by case: (eqVneq e 0) => [|e0]; [left|right; apply/eqP; rewrite -f2_neq0].
  case: (two a) (two d) => -> [] ->; rewrite ?scale0r ?scale1r ?add0r ?addr0.
  - by move=> _; rewrite raddf0 row_mx0 submx0.
  - by move=> /eqP; rewrite (negPf w0).
  - by move=> /eqP; rewrite (negPf u0).
  by move=> /eqP; rewrite addr_eq0 vec_oppr (negPf uw).
pose f := \matrix_(i < m) (if i == ord0 then q else r : 'rV_m).
pose U := col_mx (delta_mx 0 ord0 : 'rV['F_2]_m) (delta_mx 0 ord_max : 'rV['F_2]_m).
have Uf : U *m f = col_mx q r.
  by rewrite [LHS]mul_col_mx -!rowE !rowK eqxx -val_eqE /= eqn0Ngt n0.
have dnz k : delta_mx 0 k != 0 :> 'rV['F_2]_m.
  by apply/eqP=> /matrixP/(_ 0 k); rewrite !mxE !eqxx => /eqP; rewrite oner_eq0.
have [|Q QU QE] := @complete_unitmx _ _ m U f.
  rewrite Uf !free2 //; apply/eqP=> /matrixP/(_ 0 ord0); rewrite !mxE !eqxx -val_eqE /=.
  by rewrite eq_sym eqn0Ngt n0 => /eqP; rewrite oner_eq0.
move: QE; rewrite Uf [U *m Q]mul_col_mx -!rowE => /eq_col_mx[qE rE]; by exists Q.
Qed.

Lemma row_renamed A Q k : Q \in unitmx -> row k (renamed A Q) = row k Q *m A *m invmx Q.
Proof. by move=> QU; rewrite /renamed -!mulmxA row_mul mulmxA. Qed.

(** ** Adding row j to row l *)

Definition transvection (l j : 'I_m) : 'M['F_2]_m := 1%:M + delta_mx l j.

Lemma transvection_bit l j x i :
  (transvection l j *m x) i 0 = x i 0 + (if i == l then x j 0 else 0).
Proof.
rewrite mulmxDl mul1mx [LHS]mxE; congr (_ + _); rewrite mxE (bigD1 j) //= mxE eqxx andbT.
rewrite big1 => [|k kj]; last by rewrite mxE (negPf kj) andbF mul0r.
by rewrite addr0; case: eqP => _; rewrite ?mul1r ?mul0r.
Qed.

Lemma transvectionK l j : l != j -> transvection l j *m transvection l j = 1%:M.
Proof.
move=> lj; apply: mul_vec_inj => x; rewrite -mulmxA mul1mx; apply/matrixP=> i k.
rewrite (ord1 k) !transvection_bit eq_sym [j == l]eq_sym (negPf lj) addr0.
by case: eqP => _; rewrite ?f2_addK ?addr0.
Qed.

Lemma card_preimage P (E K : {set vec m}) : P \in unitmx ->
  (forall x, (x \in E) = (P *m x \in K)) -> #|E| = #|K|.
Proof.
move=> PU EK; rewrite -(card_imset (mem E) (can_inj (mulKmx PU))); apply: eq_card => x.
apply/imsetP/idP=> [[y yE ->]|xK]; first by rewrite -EK.
by exists (invmx P *m x); rewrite ?EK mulKVmx.
Qed.

(** ** Going down *)

(* The load at bit i is 1 or 0. *)
Definition free_at B i := #|ker B (below m i.+1 :\ ord0) (below m i)| == 1%N.

Section Step.

Variables (B : 'M['F_2]_m) (l j : 'I_m) (top : nat).
Hypotheses (lj : l != j) (l0 : l != ord0).
Hypothesis row0 : forall c : 'I_m, (c < top)%N -> B ord0 c = 0.

Let P := transvection l j.
Let PP : P *m P = 1%:M := transvectionK lj.

Lemma transvection_unit : P \in unitmx. Proof. by case/mulmx1_unit: PP. Qed.

Lemma transvection_inv : invmx P = P.
Proof. by rewrite -[LHS]mulmx1 -PP mulKmx ?transvection_unit. Qed.

Lemma row0_zero (x : vec m) : (forall i : 'I_m, (top <= i)%N -> x i 0 = 0) -> (B *m x) ord0 0 = 0.
Proof.
move=> xtop; rewrite mxE big1 // => c _; have [lt_c|le_c] := ltnP c top.
  by rewrite row0 // mul0r.
by rewrite xtop // mulr0.
Qed.

(* Kernels with column l, column j and row l, and with row j unless j = 0, are moved by P. *)
Lemma ker_transvection (R C : bits m) : l \in C -> j \in C -> (l \in R -> j != ord0 -> j \in R) ->
  (forall c : 'I_m, c \in C -> (c < top)%N) -> ord0 \notin R ->
  forall x, (x \in ker (renamed B P) R C) = (P *m x \in ker B R C).
Proof.
move=> lC jC lRj Ctop R0 x; rewrite /renamed transvection_inv.
have supp : (forall i, i \notin C -> (P *m x) i 0 = 0) <-> (forall i, i \notin C -> x i 0 = 0).
  split=> xC i iC; have := xC i iC; rewrite transvection_bit;
    by case: eqP => [il|_]; [rewrite il lC in iC | rewrite addr0].
have rowP i : i \in R -> (P *m (B *m (P *m x))) i 0
    = (B *m (P *m x)) i 0 + (if i == l then (B *m (P *m x)) j 0 else 0).
  by rewrite transvection_bit.
apply/kerP/kerP=> -[xC xR].
  have xC' := supp.2 xC; split=> // i iR; have := xR i iR; rewrite -!mulmxA rowP //.
  case: eqP => [il|_]; last by rewrite addr0.
  rewrite (_ : (B *m (P *m x)) j 0 = 0) ?addr0 //; have [j0|j0] := eqVneq j ord0.
    by rewrite j0 row0_zero // => k le_k; rewrite xC' //; apply: contraTN le_k => /Ctop;
      rewrite ltnNge.
  have := xR j (lRj _ j0); rewrite -il iR => /(_ isT); rewrite -!mulmxA transvection_bit.
  by rewrite eq_sym (negPf lj) addr0.
have xC' := supp.1 xC; split=> // i iR; rewrite -!mulmxA rowP // xR // add0r.
case: eqP => // il; have [j0|j0] := eqVneq j ord0; last by rewrite xR // lRj // -il.
by rewrite j0 row0_zero // => k le_k; rewrite xC //; apply: contraTN le_k => /Ctop; rewrite ltnNge.
Qed.

Lemma row0_transvection (c : 'I_m) : (l < top)%N -> (c < top)%N -> renamed B P ord0 c = 0.
Proof.
move=> lt_l lt_c; rewrite /renamed transvection_inv.
have -> : (P *m B *m P) ord0 c = (P *m (B *m (P *m (delta_mx c 0 : vec m)))) ord0 0.
  by rewrite !mulmxA -colE !mxE.
rewrite transvection_bit eq_sym (negPf l0) addr0 row0_zero // => i le_i.
have out (k : 'I_m) : (k < top)%N -> (i == k) = false.
  by move=> lt_k; apply: contraTF le_i => /eqP ->; rewrite -ltnNge.
by rewrite transvection_bit (out l) // addr0 mxE (out c).
Qed.

End Step.

(* One bit less: a step that frees it, or none, if it is free. *)
Lemma down_step B (k top : nat) (l : 'I_m) : val l = k -> l != ord0 -> (k < top)%N ->
  (forall c : 'I_m, (c < top)%N -> B ord0 c = 0) ->
  (#|ker B (below m k.+1 :\ ord0) (below m k.+1)| <= 2)%N ->
  (forall i : 'I_m, (k < i)%N -> (i <= top)%N && free_at B i) ->
  exists2 P, P \in unitmx &
    [/\ forall c : 'I_m, (c < top)%N -> renamed B P ord0 c = 0, free_at (renamed B P) l
      & forall i : 'I_m, (k < i)%N -> (i <= top)%N && free_at (renamed B P) i].
Proof.
move=> <- {k} l0 ltop row0 le2 free; pose k : nat := l.
have belowl : below m k.+1 :\ l = below m k by rewrite -(belowS l) setU1K ?(below_notin l).
have [/existsP[w /andP[wK wl]]|none] :=
  boolP [exists w : vec m, (w \in ker B (below m k.+1 :\ ord0) (below m k.+1)) && (w l 0 != 0)].
  exists 1%:M; rewrite ?unitmx1 // /renamed mul1mx invmx1 mulmx1; split=> //.
  rewrite /free_at -belowl eqn_leq card_ker_gt0 andbT.
  by rewrite -(leq_pmul2l (isT : (0 < 2)%N)) -(card_ker_delcol wK wl).
have [le1|/ker_exists[w wK w0]] := leqP #|ker B (below m k.+1 :\ ord0) (below m k.+1)| 1.
  exists 1%:M; rewrite ?unitmx1 // /renamed mul1mx invmx1 mulmx1; split=> //.
  rewrite /free_at eqn_leq card_ker_gt0 andbT; apply: leq_trans le1; apply: leq_ker => //.
  by apply/subsetP=> i; rewrite !inE => /ltnW.
have wl : w l 0 = 0 by move/existsPn/(_ w): none; rewrite wK negbK => /eqP.
have [j wj] := vec_exists_bit w0; have jC := ker_bit_in wK wj.
have lj : l != j by apply: contra wj => /eqP <-; rewrite wl.
pose P := transvection l j.
have PU : P \in unitmx := transvection_unit lj.
have moved (i : nat) : (k < i <= top)%N -> forall R : bits m, ord0 \notin R ->
    (l \in R -> j != ord0 -> j \in R) ->
    forall x, (x \in ker (renamed B P) R (below m i)) = (P *m x \in ker B R (below m i)).
  move=> /andP[lt_ki le_it] R R0 lRj; apply: (ker_transvection lj row0) => //; rewrite ?inE //.
    by move: jC; rewrite inE ltnS => /leq_ltn_trans; apply.
  by move=> c; rewrite inE => /leq_trans; apply.
exists P => //; split=> [c lt_c||i lt_ki]; first exact: (row0_transvection lj l0 row0 ltop lt_c).
  have KE : forall x, (x \in ker (renamed B P) (below m k.+1 :\ ord0) (below m k.+1)) =
      (P *m x \in ker B (below m k.+1 :\ ord0) (below m k.+1)).
    apply: moved => [||_ j0]; [by rewrite ltnSn | by rewrite !inE eqxx |].
    by rewrite !inE j0; move: jC; rewrite inE.
  have PwK : P *m w \in ker (renamed B P) (below m k.+1 :\ ord0) (below m k.+1).
    by rewrite KE mulmxA transvectionK // mul1mx.
  have Pwl : (P *m w) l 0 != 0 by rewrite transvection_bit eqxx wl add0r.
  rewrite /free_at -[below m l]belowl eqn_leq card_ker_gt0 andbT.
  by rewrite -(leq_pmul2l (isT : (0 < 2)%N)) -(card_ker_delcol PwK Pwl) (card_preimage PU KE).
have /andP[le_it /eqP free_i] := free i lt_ki; rewrite le_it; apply/eqP/(etrans _ free_i).
apply: (card_preimage PU); apply: moved => [||_ j0]; [by rewrite lt_ki | by rewrite !inE eqxx |].
by rewrite !inE j0; move: jC; rewrite inE !ltnS => /leq_trans; apply; apply: ltnW.
Qed.

Lemma go_down B (k top : nat) : (k <= top)%N -> (top <= m)%N -> (0 < k)%N ->
  (forall c : 'I_m, (c < top)%N -> B ord0 c = 0) ->
  (#|ker B (below m k :\ ord0) (below m k)| <= 2)%N ->
  (forall i : 'I_m, (k <= i)%N -> (i <= top)%N && free_at B i) ->
  exists2 Q, Q \in unitmx & forall i, i != ord0 -> free_at (renamed B Q) i.
Proof.
elim: k B => [B //|k IH] B le_kt le_tm _ row0 le2 free.
have [k0|k0] := posnP k.
  exists 1%:M; rewrite ?unitmx1 // => i i0; rewrite /renamed mul1mx invmx1 mulmx1.
  by have := free i; rewrite k0 lt0n => /(_ i0) /andP[].
have lt_km : (k < m)%N by apply: leq_trans le_tm.
pose l := Ordinal lt_km; have l0 : l != ord0 by rewrite -val_eqE /= -lt0n.
have [P PU [row0' free_k free']] := down_step (erefl k : val l = k) l0 le_kt row0 le2 free.
have [||i le_ki|Q QU Qfree] := IH (renamed B P) _ le_tm k0 row0'.
- exact: ltnW.
- apply: leq_trans (card_ker_addrow_le _ _ _ l) _; rewrite (_ : l |: _ = below m k.+1 :\ ord0).
    by move: free_k; rewrite /free_at => /eqP ->.
  by rewrite -(belowS l); apply/setP=> i; rewrite !inE; case: eqP => // ->; rewrite l0.
- move: le_ki; rewrite leq_eqVlt => /orP[/eqP kE|/free'//].
  have -> : i = l by apply: val_inj; rewrite /= -kE.
  by apply/andP; split; [exact: ltnW le_kt | exact: free_k].
exists (Q *m P) => [|i i0]; first by rewrite unitmx_mul QU.
by rewrite -(renamed_mul B PU QU); apply: Qfree.
Qed.

(** ** The start *)

Lemma free_sub B i : free_at B i -> i != ord0 ->
  (#|ker B (below m i :\ ord0) (below m i)| <= 2)%N.
Proof.
move=> /eqP fi i0; apply: leq_trans (card_ker_addrow_le _ _ _ i) _.
rewrite (_ : i |: _ = below m i.+1 :\ ord0) ?fi // -(belowS i).
by apply/setP=> k; rewrite !inE; case: eqP => // ->; rewrite i0.
Qed.

(* Lemma 5: rank n - 1. *)
Lemma free_mapping_singular A : (n <= \rank A)%N -> A \notin unitmx ->
  exists2 Q, Q \in unitmx & forall i, i != ord0 -> free_at (renamed A Q) i.
Proof.
move=> rA AU; have [q q0 qA] : exists2 q : 'rV['F_2]_m, q != 0 & q *m A = 0.
  move: AU; rewrite -row_free_unit -kermx_eq0 => /rowV0Pn[q /sub_kermxP qA q0].
  by exists q.
have [Q QU Qq] := row_choice q0; pose B := renamed A Q.
have B0 c : B ord0 c = 0.
  have -> : B ord0 c = row ord0 B 0 c by rewrite [RHS]mxE.
  by rewrite row_renamed // Qq qA mul0mx mxE.
have le2 : (#|ker B (below m m :\ ord0) (below m m)| <= 2)%N.
  rewrite below_all; apply: (@leq_trans #|ker B setT setT|); last first.
    rewrite card_ker_full rank_renamed // -[X in (_ <= X)%N]expn1 leq_exp2l //.
    by rewrite leq_subLR addn1 ltnS.
  rewrite subset_leq_card //; apply/subsetP=> x /kerP[_ xR]; rewrite ker_full inE; apply/eqP.
  apply/matrixP=> i k; rewrite (ord1 k) [RHS]mxE; have [->|i0] := eqVneq i ord0.
    by rewrite mxE big1 // => c _; rewrite B0 mul0r.
  by rewrite xR // !inE i0.
have none (i : 'I_m) : (m <= i)%N -> (i <= m)%N && free_at B i by rewrite leqNgt ltn_ord.
have [P PU free] := go_down (leqnn m) (leqnn m) (ltn0Sn n) (fun c _ => B0 c) le2 none.
exists (P *m Q) => [|i i0]; first by rewrite unitmx_mul PU.
by rewrite -(renamed_mul A QU PU); apply: free.
Qed.

(* Lemma 7: A nonsingular and not the identity. *)
Lemma free_mapping_nonsingular A : A \in unitmx -> A != 1%:M ->
  exists2 Q, Q \in unitmx & forall i, i != ord0 -> free_at (renamed A Q) i.
Proof.
move=> AU A1; have [q qA] : exists q : 'rV['F_2]_m, q *m A != q.
  apply/existsP; apply: contraNT A1 => /existsPn same; apply/eqP/row_matrixP=> i.
  by rewrite !rowE mulmx1; apply/eqP; have := same (delta_mx 0 i); rewrite negbK.
have q0 : q != 0 by apply: contra qA => /eqP ->; rewrite mul0mx.
have qA0 : q *m A != 0.
  by apply: contra q0 => /eqP qA0; rewrite -(mulmxK AU q) qA0 mul0mx.
have n0 : (0 < n)%N.
  rewrite lt0n; apply: contra qA => /eqP n0; apply/eqP/matrixP=> i k.
  have ord k' : k' = ord0 :> 'I_m.
    by apply/val_inj; case: k' => k' /=; rewrite n0; case: k'.
  have bit1 (r : 'rV['F_2]_m) : r != 0 -> r i k = 1.
    move=> r0; apply/eqP; rewrite -f2_neq0; apply: contra r0 => /eqP rik; apply/eqP.
    by apply/matrixP=> a c; rewrite mxE -rik (ord1 a) (ord1 i) (ord c) (ord k).
  by rewrite !bit1.
have [Q [QU Q0 Qmax]] := two_rows q0 qA0 (contra_neq (@esym _ _ _) qA) n0.
pose B := renamed A Q; have BU : B \in unitmx.
  by rewrite !unitmx_mul QU AU unitmx_inv.
have B0 : row ord0 B = delta_mx 0 ord_max.
  by rewrite row_renamed // Q0 -Qmax rowE mulmxK.
have topE : n = (ord_max : 'I_m) by [].
have freemax : free_at B ord_max.
  rewrite /free_at card_ker1; apply/subsetP=> x /kerP[xC xR]; rewrite inE.
  have : B *m x = 0.
    apply/matrixP=> i k; rewrite (ord1 k) [RHS]mxE; have [->|i0] := eqVneq i ord0; last first.
      by rewrite xR // !inE i0 /= ltn_ord.
    have -> : (B *m x) ord0 0 = (row ord0 B *m x) 0 0 by rewrite -row_mul [RHS]mxE.
    by rewrite B0 -rowE [LHS]mxE xC // inE ltnn.
  by move=> Bx; rewrite -(mulKmx BU x) Bx mulmx0.
have max0 : ord_max != ord0 :> 'I_m by rewrite -val_eqE /= -lt0n.
have zero (c : 'I_m) : (c < n)%N -> B ord0 c = 0.
  move=> lt_c; have -> : B ord0 c = row ord0 B 0 c by rewrite [RHS]mxE.
  by rewrite B0 mxE eqxx /=; case: eqP => // cE; rewrite cE ltnn in lt_c.
have last (i : 'I_m) : (n <= i)%N -> (i <= n)%N && free_at B i.
  move=> le_ni; have -> : i = ord_max by apply/val_inj/eqP; rewrite eqn_leq le_ni -ltnS ltn_ord.
  by rewrite leqnn freemax.
have [P PU free] := go_down (leqnn n) (leqnSn n) n0 zero (free_sub freemax max0) last.
exists (P *m Q) => [|i i0]; first by rewrite unitmx_mul PU.
by rewrite -(renamed_mul A QU PU); apply: free.
Qed.

Lemma free_rank B i : free_at B i ->
  (i - \rank (minor B (below m i.+1 :\ ord0) (below m i)) = 0)%N.
Proof.
rewrite /free_at card_ker_below ?(ltnW (ltn_ord i)) // -[X in _ == X](expn0 2) eqn_exp2l //.
by move/eqP.
Qed.

(** Claims: hou.lem5. *)
Theorem hou_lemma_5 A : \rank A = n -> exists2 Q, Q \in unitmx & forall i, i != ord0 ->
  (i - \rank (minor (renamed A Q) (below m i.+1 :\ ord0) (below m i)) = 0)%N.
Proof.
move=> rA; have [||Q QU free] := @free_mapping_singular A; first by rewrite rA.
  by rewrite -row_full_unit /row_full rA neq_ltn ltnSn.
by exists Q => // i /free/free_rank.
Qed.

(** Claims: hou.lem7. *)
Theorem hou_lemma_7 A : A \in unitmx -> A != 1%:M ->
  exists2 Q, Q \in unitmx & forall i, i != ord0 ->
  (i - \rank (minor (renamed A Q) (below m i.+1 :\ ord0) (below m i)) = 0)%N.
Proof.
move=> AU A1; have [Q QU free] := free_mapping_nonsingular AU A1.
by exists Q => // i /free/free_rank.
Qed.

(** ** Degree 0 *)

Lemma origin_degree_eq0 A b :
  (origin_degree A b == 0%N) = [forall j, (j != ord0) ==> ~~ moves A b j].
Proof.
apply/eqP/forallP=> [deg j|still].
  apply/implyP=> j0; apply/negP=> mj; have := @leq_bigmax_cond _ (fun j =>
    j != ord0) (origin_contention A b) j j0.
  rewrite -/(origin_degree A b) deg leqNgt => /negP[].
  by rewrite /= origin_contention_ker // mj card_ker_gt0.
apply: big1 => j j0; rewrite origin_contention_ker //; have := still j; rewrite j0 /=.
by move=> /negPf ->.
Qed.

(* All displacements are 0 or v. *)
Definition displaced_by A b v := [forall x : vec m, (A *m x + x + b == 0) || (A *m x + x + b == v)].

Lemma still_displaced A b Q : Q \in unitmx ->
  (origin_degree (renamed A Q) (Q *m b) == 0%N) = displaced_by A b (invmx Q *m delta_mx ord0 0).
Proof.
move=> QU; rewrite origin_degree_eq0; set v := invmx Q *m _.
have diff x : image (renamed A Q) (Q *m b) (Q *m x) + Q *m x = Q *m (A *m x + x + b).
  by rewrite image_renamed // /image -mulmxDr addrAC.
apply/forallP/forallP=> [still x|disp j].
  have : Q *m (A *m x + x + b) \in [set 0; delta_mx ord0 0].
    apply: vec_one_bit => i i0; rewrite -diff mxE; apply/eqP; rewrite f2_add_eq0.
    by have /implyP/(_ i0)/existsPn/(_ (Q *m x)) := still i; rewrite negbK eq_sym.
  by rewrite !inE => /orP[] /eqP Qd; rewrite -[_ + b](mulKmx QU) Qd ?mulmx0 eqxx ?orbT.
apply/implyP=> j0; apply/existsPn=> y; rewrite negbK eq_sym -f2_add_eq0.
have := disp (invmx Q *m y); set d := _ + b.
have -> : image (renamed A Q) (Q *m b) y j 0 + y j 0 = (Q *m d) j 0.
  by rewrite /d -diff mulKVmx // [RHS]mxE.
case/orP=> /eqP ->; first by rewrite mulmx0 mxE.
by rewrite /v mulKVmx // mxE (negPf j0).
Qed.

Definition origin_least A b :=
  if [exists v, displaced_by A b v] then 0%N else (2 ^ (n - \rank A))%N.

Lemma displaced_nonzero A b : [exists v, displaced_by A b v] ->
  exists2 v, v != 0 & displaced_by A b v.
Proof.
case/existsP=> v disp; have [v0|] := eqVneq v 0; last by exists v.
exists (delta_mx ord0 0); first by apply/eqP=> /matrixP/(_ ord0 0); rewrite !mxE !eqxx => /eqP;
  rewrite oner_eq0.
by apply/forallP=> x; have := forallP disp x; rewrite v0 orbb => ->.
Qed.

Lemma column_choice v : v != 0 -> exists2 Q, Q \in unitmx & invmx Q *m delta_mx ord0 0 = v.
Proof.
move=> v0; have [|Q QU QE] := @row_choice v^T; first by rewrite trmx_eq0.
exists (invmx Q^T); rewrite ?unitmx_inv ?unitmx_tr //.
by rewrite invmxK -colE -tr_row QE trmxK.
Qed.

(* Lemma 6: subtract w_i times row 0 from row i. *)
Definition row0_off (w : vec m) : 'M['F_2]_m :=
  \matrix_(i, j) (if (j == ord0) && (i != ord0) then w i 0 else (i == j)%:R).

Lemma row0_off_bit w x i : (row0_off w *m x) i 0 = x i 0 + (i != ord0)%:R * w i 0 * x ord0 0.
Proof.
rewrite mxE (bigD1 i) //= !mxE eqxx andbN mul1r; congr (_ + _); have [i0|i0] := eqVneq i ord0.
  rewrite !mul0r big1 // => j ji; rewrite mxE (_ : (i == j) = false); last first.
    by rewrite eq_sym; apply: negPf.
  by rewrite i0 eqxx andbF mul0r.
rewrite (bigD1 ord0) 1?eq_sym //= !mxE eqxx i0 /= mul1r big1 ?addr0 // => j /andP[ji j0].
by rewrite mxE (negPf j0) /= eq_sym (negPf ji) mul0r.
Qed.

Lemma row0_off_unit w : row0_off w \in unitmx.
Proof.
suff /mulmx1_unit[] : row0_off w *m row0_off w = 1%:M by [].
apply: mul_vec_inj => x; apply/matrixP=> i z; rewrite (ord1 z) -mulmxA mul1mx !row0_off_bit eqxx.
by rewrite mul0r mul0r addr0 f2_addK.
Qed.

(* Where v displaces all, in place of b: any order s with v at bit 0 first, then these rows. *)
(** Claims: hou.cor7. *)
Theorem hou_lemma_6 A b v (s : 'S_m) : displaced_by A b v -> v (s ord0) 0 = 1 ->
  let Q := row0_off (perm_mx s *m v) *m perm_mx s in
  [/\ Q \in unitmx, forall x i, i != ord0 -> (Q *m image A b x) i 0 = (Q *m x) i 0
    & origin_degree (renamed A Q) (Q *m b) = 0%N].
Proof.
move=> /forallP disp vs Q.
have QU : Q \in unitmx by rewrite unitmx_mul row0_off_unit unitmx_perm.
have vbit i : i != ord0 -> (Q *m v) i 0 = 0.
  by move=> i0; rewrite -mulmxA row0_off_bit i0 mul1r !perm_mx_bit vs mulr1 f2_addxx.
have same x i : i != ord0 -> (Q *m image A b x) i 0 = (Q *m x) i 0.
  move=> i0; apply/eqP; rewrite -f2_add_eq0 -[_ + _]bit_additive -mulmxDr.
  have -> : image A b x + x = A *m x + x + b by rewrite /image addrAC.
  by have /orP[/eqP->|/eqP->] := disp x; [rewrite mulmx0 mxE|rewrite vbit].
split=> //; apply/eqP; rewrite origin_degree_eq0; apply/forallP=> j; apply/implyP=> j0.
apply/existsPn=> y; rewrite negbK -{1}(mulKVmx QU y) -{2}(mulKVmx QU y) image_renamed //.
by rewrite same.
Qed.

(* As printed, A = I: for b = 0 the identity does, else any order with b at bit 0 first. *)
(** Claims: hou.lem6. *)
Theorem hou_lemma_6_printed b : exists2 Q, Q \in unitmx &
  (forall x i, i != ord0 -> (Q *m image 1%:M b x) i 0 = (Q *m x) i 0) /\
  (if b == 0 then Q = 1%:M
   else exists s : 'S_m, b (s ord0) 0 = 1 /\ Q = row0_off (perm_mx s *m b) *m perm_mx s).
Proof.
have [->|b0] := eqVneq b 0.
  exists 1%:M; rewrite ?unitmx1 //; split=> // x i _; by rewrite /image mul1mx addr0.
have [i bi] := vec_exists_bit b0; pose s := tperm ord0 i.
have bs : b (s ord0) 0 = 1 by apply/eqP; rewrite tpermL -f2_neq0.
have disp : displaced_by 1%:M b b.
  by apply/forallP=> x; rewrite mul1mx vec_addxx add0r eqxx orbT.
have [QU same _] := hou_lemma_6 disp bs; exists (row0_off (perm_mx s *m b) *m perm_mx s) => //.
by split=> //; exists s.
Qed.

(* No nonsingular Q does better, for any rank. *)
(** Claims: hou.lem3.2.amended, hou.cor7. *)
Theorem origin_least_ge A b Q : Q \in unitmx ->
  (origin_least A b <= origin_degree (renamed A Q) (Q *m b))%N.
Proof.
move=> QU; rewrite /origin_least; case: ifP => // /existsPn none.
rewrite -(rank_renamed A QU); apply: origin_degree_ge.
have := still_displaced A b QU; rewrite (negPf (none _)) origin_degree_eq0.
move/negbT; rewrite negb_forall => /existsP[j]; rewrite negb_imply negbK => jP.
by apply/existsP; exists j.
Qed.

(* A mapping of Theorem 8, Lemma 5 or Lemma 7 has the least degree, unless degree 0 can be had. *)
(** Claims: hou.cor7. *)
Theorem hou_corollary_7 A b Q : Q \in unitmx -> ~~ [exists v, displaced_by A b v] ->
  (forall i, i != ord0 ->
     (i - \rank (minor (renamed A Q) (below m i.+1 :\ ord0) (below m i)) <= n - \rank A)%N) ->
  origin_degree (renamed A Q) (Q *m b) = (2 ^ (n - \rank A))%N.
Proof.
move=> QU none bound; apply/eqP; rewrite eqn_leq; apply/andP; split; last first.
  by have := origin_least_ge A b QU; rewrite /origin_least (negPf none).
apply/bigmax_leqP=> i i0; rewrite origin_contention_ker //; case: ifP => // _.
by rewrite card_ker_below ?(ltnW (ltn_ord i)) // leq_exp2l // bound.
Qed.

(** Claims: hou.lem3.2.amended, hou.cor6, hou.cor7. *)
Theorem origin_least_reached A b : exists2 Q, Q \in unitmx &
  origin_degree (renamed A Q) (Q *m b) = origin_least A b.
Proof.
rewrite /origin_least; case: ifP => [/displaced_nonzero[v v0 disp]|/negbT none].
  have [Q QU Qv] := column_choice v0; exists Q => //.
  by apply/eqP; rewrite still_displaced // Qv.
suff [Q QU deg] : exists2 Q, Q \in unitmx &
    (origin_degree (renamed A Q) (Q *m b) <= 2 ^ (n - \rank A))%N.
  exists Q => //; apply/eqP; rewrite eqn_leq deg /=.
  by have := origin_least_ge A b QU; rewrite /origin_least (negPf none).
have [lt_rn|le_nr] := ltnP (\rank A) n.
  by have [s [deg _]] := hou_corollary_5 b lt_rn; exists (perm_mx s); rewrite ?unitmx_perm ?deg.
suff [Q QU free] : exists2 Q, Q \in unitmx & forall i, i != ord0 -> free_at (renamed A Q) i.
  exists Q => //; apply/bigmax_leqP=> i i0; rewrite origin_contention_ker //; case: ifP => // _.
  by rewrite (eqP (free i i0)) expn_gt0.
have [AU|AU] := boolP (A \in unitmx); last exact: free_mapping_singular.
apply: free_mapping_nonsingular => //; apply: contra none => /eqP A1.
by apply/existsP; exists b; apply/forallP=> x; rewrite A1 mul1mx vec_addxx add0r eqxx orbT.
Qed.

End Linear.
