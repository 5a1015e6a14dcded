(* Edelman, Heller, Johnsson: Theorem 3.1 with all of its four parts.

   Columnwise Gauss-Jordan elimination multiplies A from the right by the exchange that has row k of
   A, and so makes row k a unit row, as an exchange is its own inverse.
   It comes to its end just when
   the exchanges so found are those of which A is the product (`gauss_jordan_iff`).

   Data set d crosses dimension k in swap d + k. A message changes bit k alone then, so two messages
   on one channel are of one data set, and exchanges are invertible: they are the same message.

   gauss_jordan l A == columnwise elimination along l meets no 0 on the diagonal
   position E d t x == where message x of data set d is after t swaps
   pipelined A E == m data sets go through m+n-1 swaps, any m, one message on a channel of a swap,
      and end at A x *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice reordering ecube exchanges.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section GaussJordan.

Variable n : nat.
Implicit Types (A X : 'M['F_2]_n) (E : 'I_n -> 'M['F_2]_n) (l : seq 'I_n) (k r : 'I_n) (x : vec n).

(* The determinant is 1, and an exchange undoes itself. *)
(** Claims: edelman.lem3.1. *)
Theorem exchange_involution k X : exchange k X -> X *m X = 1%:M /\ \det X = 1.
Proof.
move=> eX; have XX : X *m X = 1%:M.
  apply/row_matrixP=> r; rewrite row1; have [->|rk] := eqVneq r k; last first.
    by rewrite row_mul (exchange_row eX rk) -rowE (exchange_row eX rk).
  have /andP[/eqP Xkk _] := eX; apply/rowP=> c; rewrite [LHS]mxE [LHS]mxE [RHS]mxE (bigD1 k) //=
    Xkk mul1r.
  have [->|ck] := eqVneq c k.
    rewrite Xkk big1 ?addr0 // => j jk; have := congr1 (fun v : 'rV_n =>
      v 0 k) (exchange_row eX jk).
    by rewrite !mxE eqxx /= eq_sym (negPf jk) => ->; rewrite mulr0.
  rewrite (bigD1 c) //= big1 ?addr0 => [|j /andP[jk jc]].
    have := congr1 (fun v : 'rV_n => v 0 c) (exchange_row eX ck).
    by rewrite !mxE !eqxx => ->; rewrite mulr1 f2_addxx.
  have := congr1 (fun v : 'rV_n => v 0 c) (exchange_row eX jk).
  by rewrite !mxE eqxx /= eq_sym (negPf jc) => ->; rewrite mulr0.
split=> //; apply/eqP; rewrite -f2_neq0; apply/eqP=> det0.
by have := congr1 determinant XX; rewrite det_mulmx det0 mul0r det1 => /eqP;
  rewrite eq_sym oner_eq0.
Qed.

Lemma product_cons E k l : product E (k :: l) = product E l *m E k.
Proof.
rewrite /product /= mulmx1; elim/last_ind: l => [|l j IH]; first by rewrite mul1mx.
by rewrite !foldl_rcons IH mulmxA.
Qed.

Lemma exchange_one k : exchange k (1%:M : 'M['F_2]_n).
Proof.
by apply/andP; split; [rewrite mxE eqxx|apply/forallP=> r; apply/implyP=> _; rewrite row1].
Qed.

Lemma exchange_partial A k : A k k = 1 -> exchange k (partial A [set k]).
Proof.
move=> Akk; apply/andP; split; first by rewrite mxE set11 Akk.
by apply/forallP=> r; apply/implyP=> rk; rewrite row_partial in_set1 (negPf rk).
Qed.

Lemma eq_product E X k l : k \notin l ->
  product (fun j => if j == k then X else E j) l = product E l.
Proof.
rewrite /product; elim: l (1%:M : 'M['F_2]_n) => //= j l IH Y.
by rewrite inE negb_or [k == j]eq_sym => /andP[/negPf-> kl]; apply: IH.
Qed.

(* Columnwise Gauss-Jordan elimination without pivoting, along a list: whether it can go on to its
   end. E is the identity with row k of A, whose diagonal entry has to be 1. *)
Fixpoint gauss_jordan l A := if l is k :: l' then
  (A k k == 1) && gauss_jordan l' (A *m partial A [set k]) else true.

Lemma gauss_jordan_rows l A : uniq l -> (forall r, r \notin l -> row r A = delta_mx 0 r) ->
  gauss_jordan l A <-> exchanges_along A l.
Proof.
elim: l A => [|k l IH] A.
  move=> _ unit; split=> // _; exists (fun=> 1%:M); split; first exact: exchange_one.
  by apply/row_matrixP=> r; rewrite unit // row1.
move=> /andP[kl lU] unit; set X := partial A [set k].
have rowX : row k X = row k A by rewrite row_partial set11.
split=> [/andP[/eqP Akk go]|[E [eE AE]]].
  have eX := exchange_partial Akk; have [XX _] := exchange_involution eX.
  have unit' r : r \notin l -> row r (A *m X) = delta_mx 0 r.
    move=> rl; rewrite row_mul; have [->|rk] := eqVneq r k; first by rewrite -rowX -row_mul XX row1.
    by rewrite unit ?inE ?negb_or ?rk // -rowE (exchange_row eX rk).
  have [E [eE AXE]] := (IH (A *m X) lU unit').1 go.
  exists (fun j => if j == k then X else E j); split=> [j|]; first by case: eqP => [->|].
  by rewrite product_cons eqxx (eq_product _ _ kl) -AXE -mulmxA XX mulmx1.
have unit_rows r : r \notin l -> row r (product E l) = delta_mx 0 r.
  by move=> rl; rewrite /product row_foldl // row1.
have rowA : row k A = row k (E k) by rewrite AE product_cons row_mul unit_rows // -rowE.
have [EE _] := exchange_involution (eE k).
have XE : X = E k.
  apply/row_matrixP=> r; have [->|rk] := eqVneq r k; first by rewrite rowX.
  by rewrite (exchange_row (eE k) rk) row_partial in_set1 (negPf rk).
apply/andP; split.
  have := congr1 (fun v : 'rV_n => v 0 k) rowA; rewrite !mxE => ->.
  by have /andP[] := eE k.
have AX : A *m X = product E l by rewrite XE AE product_cons -mulmxA EE mulmx1.
by rewrite -/X -/(gauss_jordan l _) AX; apply/IH => //; exists E.
Qed.

Theorem gauss_jordan_iff A l : uniq l -> l =i predT ->
  gauss_jordan l A <-> exchanges_along A l.
Proof. by move=> lU lT; apply: gauss_jordan_rows => // r; rewrite lT. Qed.

(** ** Pipelined cube swaps *)

Local Notation natural := (enum 'I_n).

(* Where message x of data set d is before swap t: data set d crosses dimension k in swap d + k. *)
Definition position E (d t : nat) x := product E (take (t - d) natural) *m x.

(* Any number m of data sets are done after m + n - 1 swaps, with one message on a channel. *)
Definition pipelined A E := forall m : nat,
  (forall (d : nat) x, (d < m)%N -> position E d (m + n).-1 x = A *m x) /\
  (forall (t d d' : nat) x x', position E d t x = position E d' t x' ->
     position E d t.+1 x = position E d' t.+1 x' -> position E d t.+1 x != position E d t x ->
     d = d' /\ x = x').

Lemma position_next E d t x : position E d t.+1 x != position E d t x ->
  exists2 k : 'I_n, t = (d + k)%N & position E d t.+1 x = E k *m position E d t x.
Proof.
rewrite /position; have [lt_td|le_dt] := ltnP t d.
  by rewrite (eqnP lt_td) (eqnP (ltnW lt_td)) eqxx.
rewrite subSn //; have [lt_n|le_n] := ltnP (t - d) n; last first.
  by rewrite !take_oversize ?size_enum_ord ?eqxx // leqW.
move=> _; exists (Ordinal lt_n); first by rewrite /= subnKC.
rewrite (take_nth (Ordinal lt_n)) ?size_enum_ord // /product foldl_rcons mulmxA.
by rewrite (nth_ord_enum (Ordinal lt_n) (Ordinal lt_n)).
Qed.

Lemma exchange_bit k X x r : exchange k X -> r != k -> (X *m x) r 0 = x r 0.
Proof.
move=> eX rk; have : (row r X *m x) 0 0 = x r 0 by rewrite (exchange_row eX rk) -rowE mxE.
by rewrite -row_mul mxE.
Qed.

Theorem exchanges_pipelined A E : (forall k, exchange k (E k)) -> A = product E natural ->
  pipelined A E.
Proof.
move=> eE AE m; split=> [d x lt_dm|t d d' x x' same same' moved].
  rewrite /position take_oversize -?AE // size_enum_ord -subn1 -addnBAC ?(leq_ltn_trans _ lt_dm) //.
  by rewrite addnC -addnBA ?leq_addr // subn1 -ltnS prednK ?(leq_ltn_trans _ lt_dm).
have [k tk moveE] := position_next moved.
have moved' : position E d' t.+1 x' != position E d' t x' by rewrite -same -same'.
have [k' tk' moveE'] := position_next moved'.
have kk' : k = k'.
  apply/eqP; apply: contraNT moved => kk'; apply/eqP/matrixP=> r z; rewrite (ord1 z).
  have [rk|rk] := eqVneq r k; last by rewrite moveE (exchange_bit _ (eE k)).
  by rewrite same' moveE' -same (exchange_bit _ (eE k')) // rk.
have dd' : d = d' by apply/eqP; rewrite -(eqn_add2r k) -tk tk' kk'.
split=> //; move: same; rewrite /position dd'.
by apply: (can_inj (mulKmx _)); apply: product_unit.
Qed.

(* The four parts: exchanges, pipelined swaps, elimination, leading minors. *)
(** Claims: edelman.thm3.1. *)
Theorem edelman_theorem_3_1_four A :
  [/\ exchanges_along A natural <-> exists E, (forall k, exchange k (E k)) /\ pipelined A E,
      exchanges_along A natural <-> gauss_jordan natural A
    & exchanges_along A natural <-> forall i : nat, \det (minor A (below n i) (below n i)) != 0].
Proof.
have natU : uniq natural := enum_uniq _; have natT : natural =i predT by move=> k; rewrite mem_enum.
split; last exact: edelman_theorem_3_1.
  split=> [[E [eE AE]]|[E [eE pipe]]]; first by exists E; split=> //; apply: exchanges_pipelined.
  exists E; split=> //; apply: mul_vec_inj => x; have [done _] := pipe 1%N.
  by rewrite -(done 0%N x isT) /position add1n subn0 take_oversize // size_enum_ord.
by apply: iff_sym; apply: gauss_jordan_iff.
Qed.

End GaussJordan.
