(* Edelman, Heller, Johnsson: conditional exchanges, occupancy 1 and leading minors.

   Correct the bits of a list one after another. After the bits in S the map done so far is
   `partial A S`: the rows of A in S, unit rows elsewhere;
   its kernel is ker A S S. If it is invertible
   before and after bit k, the quotient is an exchange across k, as only row k has changed. If A is
   a product of exchanges, the later ones leave the rows in S alone, so `partial A S` is the
   product of
   the first ones, and invertible.

   Exchanges in every order exist just for the matrices that one order of rows and columns makes
   triangular. Otherwise take a smallest set T of bits in which each row has an entry besides the
   diagonal: these entries, one from each row, form a cycle through T, so each row of T adds up to 0
   over T, and the vector of ones on T is in ker A T T.

   exchange k X == X is the identity but for row k, whose diagonal entry is 1
   product E l == the product of the E k, k in the list l, the first one applied first
   exchanges_along A l == A is a product of exchanges across the bits of l
   partial A S == the rows of A in S, unit rows elsewhere
   entry_cycle A l == l is a closed walk from row to column of entries 1 off the diagonal
   triangular_along A s == ones on the diagonal, and a_(s(i),s(j)) = 0 for i < j *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel lattice reordering ecube.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Exchanges.

Variables (n : nat).
Implicit Types (A : 'M['F_2]_n) (E : 'I_n -> 'M['F_2]_n) (S T : bits n) (l : seq 'I_n).
Implicit Types (i j k r c : 'I_n).

(** ** Exchanges *)

(* The identity, but for row k, whose diagonal entry is 1. *)
Definition exchange k (X : 'M['F_2]_n) :=
  (X k k == 1) && [forall r, (r != k) ==> (row r X == delta_mx 0 r)].

(* Exchanges across the bits of a list, the first one first. *)
Definition product E l := foldl (fun X k => E k *m X) 1%:M l.

Definition exchanges_along A l := exists E, (forall k, exchange k (E k)) /\ A = product E l.

Lemma exchange_row k X r : exchange k X -> r != k -> row r X = delta_mx 0 r.
Proof. by move=> /andP[_ /forallP/(_ r)/implyP rX] /rX /eqP. Qed.

Lemma exchange_unit k X : exchange k X -> X \in unitmx.
Proof.
move=> eX; have /andP[/eqP Xkk _] := eX; rewrite -row_full_unit; apply/eqP.
apply/eqP; rewrite eqn_leq rank_leq_row /= leqNgt; apply/negP=> lt_rank.
have : (1 < #|[set x : vec n | X *m x == 0%R]|)%N.
  by rewrite card_solutions -[X in (X < _)%N](expn0 2) ltn_exp2l // subn_gt0.
rewrite -ker_full => /ker_exists[x]; rewrite ker_full inE => /eqP Xx /eqP[].
have xr r : r != k -> x r 0 = 0.
  move=> rk; have : (row r X *m x) 0 0 = 0 by rewrite -row_mul Xx !mxE.
  by rewrite (exchange_row eX rk) -rowE mxE.
apply/matrixP=> r z; rewrite (ord1 z) [RHS]mxE; have [->|/xr//] := eqVneq r k.
have := congr1 (fun y : vec n => y k 0) Xx; rewrite !mxE (bigD1 k) //= Xkk mul1r big1 ?addr0 //.
by move=> r' rk; rewrite xr ?mulr0.
Qed.

Lemma product_unit E l : (forall k, exchange k (E k)) -> product E l \in unitmx.
Proof.
move=> eE; elim/last_ind: l => [|l k IH]; first exact: unitmx1.
by rewrite /product foldl_rcons unitmx_mul (exchange_unit (eE k)).
Qed.

Lemma row_foldl E (X : 'M['F_2]_n) l r : (forall k, exchange k (E k)) -> r \notin l ->
  row r (foldl (fun X k => E k *m X) X l) = row r X.
Proof.
move=> eE; elim/last_ind: l => // l k IH; rewrite mem_rcons inE negb_or => /andP[rk rl].
by rewrite foldl_rcons row_mul (exchange_row (eE k) rk) -rowE IH.
Qed.

(** ** The map done so far *)

Definition partial A S : 'M['F_2]_n := \matrix_(i, j) (if i \in S then A i j else (i == j)%:R).

Lemma row_partial A S r : row r (partial A S) = if r \in S then row r A else delta_mx 0 r.
Proof. by apply/rowP=> c; rewrite mxE mxE; case: ifP => _; rewrite !mxE // eqxx eq_sym. Qed.

Lemma partial_place A S x : partial A S *m x = place id (mulmx A) S x.
Proof.
apply/matrixP=> i z; rewrite (ord1 z) [RHS]mxE; have [iS|/negPf iS] := boolP (i \in S).
  by rewrite [LHS]mxE [RHS]mxE; apply: eq_bigr => j _; rewrite mxE iS.
rewrite -[x in RHS]mul1mx [LHS]mxE [RHS]mxE; apply: eq_bigr => j _.
by rewrite !mxE iS.
Qed.

Lemma partial_ker A S : [set x : vec n | partial A S *m x == 0] = ker A S S.
Proof.
have -> : ker A S S = ker A (S :\: set0) (S :|: set0) by rewrite setD0 setU0.
apply/setP=> x; rewrite inE partial_place -gather_place_ker; apply/eqP/forallP=> [-> i|zero];
  first by rewrite mxE eqxx implybT.
apply/matrixP=> i z; rewrite (ord1 z) [RHS]mxE; have := zero i; rewrite inE => /eqP //.
Qed.

Lemma partial_unit A S : (partial A S \in unitmx) = (#|ker A S S| == 1%N).
Proof.
rewrite -partial_ker card_solutions -row_full_unit /row_full eqn_leq rank_leq_row /=.
by rewrite -[X in _ == X](expn0 2) eqn_exp2l // subn_eq0.
Qed.

Lemma occupancy_ker A b S : gather_occupancy A b set0 S = #|ker A S S|.
Proof. by rewrite gather_occupancyE -card_ker setD0 setU0. Qed.

Lemma minor_unit A S : (\det (minor A S S) != 0) = (#|ker A S S| == 1%N).
Proof.
rewrite -unitfE -unitmxE card_ker -row_full_unit /row_full eqn_leq rank_leq_row /=.
by rewrite -[X in _ == X](expn0 2) eqn_exp2l // subn_eq0.
Qed.

Lemma exchanges_partial E l S l' : (forall k, exchange k (E k)) -> uniq (l ++ l') ->
  S = [set x in l] -> product E l = partial (product E (l ++ l')) S.
Proof.
move=> eE; rewrite cat_uniq => /and3P[_ /hasPn disj _] ->; apply/row_matrixP=> r.
rewrite row_partial inE; have [rl|rl] := boolP (r \in l).
  by rewrite /product foldl_cat [RHS]row_foldl //; apply/negP=> /disj; rewrite /= rl.
by rewrite row_foldl // row1.
Qed.

Lemma exchange_quotient A S k : k \notin S ->
  partial A S \in unitmx -> partial A (k |: S) \in unitmx ->
  exchange k (partial A (k |: S) *m invmx (partial A S)).
Proof.
move=> kS U U'; set X := _ *m _.
have rX r : r != k -> row r X = delta_mx 0 r.
  move=> rk; rewrite /X row_mul row_partial !inE (negPf rk) /= -row_partial -row_mul mulmxV //.
  by rewrite row1.
apply/andP; split; last by apply/forallP=> r; apply/implyP=> /rX ->.
rewrite -f2_neq0; apply/negP=> /eqP Xkk.
have XU : X \in unitmx by rewrite unitmx_mul U' unitmx_inv.
have : X *m (delta_mx k 0 : vec n) = 0.
  rewrite -colE; apply/matrixP=> r z; rewrite [LHS]mxE [RHS]mxE.
  have [->|rk] := eqVneq r k; first exact: Xkk.
  have := congr1 (fun v : 'rV_n => v 0 k) (rX r rk); rewrite [LHS]mxE => ->.
  by rewrite mxE eqxx /= eq_sym (negPf rk).
move/(congr1 (mulmx (invmx X))); rewrite mulKmx // mulmx0 => /matrixP/(_ k 0).
by rewrite !mxE !eqxx => /eqP; rewrite oner_eq0.
Qed.

Theorem exchanges_iff_kernels A l : uniq l -> l =i predT ->
  exchanges_along A l <-> (forall i : nat, #|ker A [set x in take i l] [set x in take i l]| = 1%N).
Proof.
move=> lU lT; have all_partial : partial A [set x in l] = A.
  by apply/matrixP=> i j; rewrite mxE inE lT.
split=> [[E [eE AE]] i|ker1].
  apply/eqP; rewrite -partial_unit.
  by rewrite AE -{1}(cat_take_drop i l) -(exchanges_partial eE) ?cat_take_drop ?product_unit.
have unit (i : nat) : partial A [set x in take i l] \in unitmx by rewrite partial_unit ker1.
pose E k := partial A (k |: [set x in take (index k l) l])
            *m invmx (partial A [set x in take (index k l) l]).
have stepE k : k |: [set x in take (index k l) l] = [set x in take (index k l).+1 l].
  have kl : (index k l < size l)%N by rewrite index_mem lT.
  apply/setP=> x; rewrite (take_nth k kl) !inE mem_rcons inE nth_index ?lT //.
have eE k : exchange k (E k).
  apply: exchange_quotient; [|exact: (unit (index k l))|rewrite stepE;
    exact: (unit (index k l).+1)].
  by rewrite inE in_take ?lT // ltnn.
exists E; split=> //.
suff prod (i : nat) : (i <= size l)%N -> partial A [set x in take i l] = product E (take i l).
  by have := prod (size l) (leqnn _); rewrite take_size all_partial.
elim: i => [_|i IH lt_i].
  rewrite take0 /product /=; apply/matrixP=> r c; by rewrite !mxE inE.
pose k0 := tnth (in_tuple l) (Ordinal lt_i).
rewrite (take_nth k0 lt_i) /product foldl_rcons -/(product _ _) -(IH (ltnW lt_i)).
set k := nth k0 l i; have ik : index k l = i by rewrite index_uniq.
rewrite /E ik mulmxKV //; congr partial.
by apply/setP=> x; rewrite !inE mem_rcons inE.
Qed.

(** Claims: lattice.edelman. *)
Theorem exchanges_iff_occupancy A b l : uniq l -> l =i predT ->
  exchanges_along A l <-> (forall i : nat, gather_occupancy A b set0 [set x in take i l] = 1%N).
Proof.
move=> lU lT; apply: iff_trans (exchanges_iff_kernels A lU lT) _.
by split=> H i; move: (H i); rewrite occupancy_ker.
Qed.

Theorem exchanges_iff_minors A l : uniq l -> l =i predT ->
  exchanges_along A l <->
  (forall i : nat, \det (minor A [set x in take i l] [set x in take i l]) != 0).
Proof.
move=> lU lT; apply: iff_trans (exchanges_iff_kernels A lU lT) _.
by split=> H i; move: (H i); rewrite minor_unit; [move=> -> | move/eqP].
Qed.

(* Where exchanges exist along an order, it is free of contention. *)
(** Claims: lattice.edelman. *)
Theorem exchanges_free A b l (i : nat) : uniq l -> l =i predT -> exchanges_along A l ->
  (i < size l)%N -> forall j, j \notin take i l ->
  (gather_load A b set0 [set x in take i l] j <= 1)%N.
Proof.
move=> lU lT /(exchanges_iff_kernels A lU lT) ker1 lt_i j jl.
rewrite gather_load0 ?inE //; case: ifP => // _.
by apply: leq_trans (leq_ker _ (subsetU1 _ _) (subxx _)) _; rewrite ker1.
Qed.

(** ** Triangular matrices and every order *)

Definition triangular_along A (s : 'S_n) :=
  forall i j, A (s i) (s i) = 1 /\ ((i < j)%N -> A (s i) (s j) = 0).

Lemma triangular_kernels A s S : triangular_along A s -> #|ker A S S| = 1%N.
Proof.
move=> tri; apply/eqP/contraT => ker1.
have /ker_exists[x xK x0] : (1 < #|ker A S S|)%N.
  by rewrite ltn_neqAle eq_sym ker1 card_ker_gt0.
have [c xc] := vec_exists_bit x0.
have := @arg_minnP _ (s^-1%g c) (fun i => x (s i) 0 != 0) val; rewrite permKV => /(_ xc)[i xi low].
have siS := ker_bit_in xK xi; case/kerP: (xK) => _ /(_ _ siS) /eqP.
rewrite mxE (bigD1 (s i)) //= (tri i i).1 mul1r big1 ?addr0 ?(negPf xi) // => k ki.
rewrite -(permKV s k); set j := (s^-1%g k); have [lt_ij|le_ji] := ltnP i j.
  by rewrite (tri i j).2 // mul0r.
have [->|/low le_ij] := eqVneq (x (s j) 0) 0; first by rewrite mulr0.
by move: ki; rewrite -(permKV s k) (inj_eq perm_inj) -val_eqE eqn_leq le_ji le_ij.
Qed.

(* Each row of T has an entry in T besides the diagonal. *)
Definition no_sink A T := (T != set0) && [forall r in T, [exists c in T, (c != r) && (A r c != 0)]].

Lemma no_sink_kernel A T0 : (forall r, A r r = 1) -> no_sink A T0 -> exists T, #|ker A T T| != 1%N.
Proof.
move=> diag /minset_exists[T /minsetP[/andP[T0' /forall_inP out] least] _]; exists T.
have fP r : exists c, r \in T -> [/\ c \in T, c != r & A r c != 0].
  have [/out/exists_inP[c cT /andP[cr Ac]]|] := boolP (r \in T); first by exists c.
  by exists r.
have onto (f : 'I_n -> 'I_n) : (forall r, r \in T -> [/\ f r \in T, f r != r & A r (f r) != 0]) ->
    f @: T = T.
  move=> fT; apply: least; last by apply/subsetP=> _ /imsetP[r /fT[? _ _] ->].
  apply/andP; split.
    by have [r rT] := set0Pn _ T0'; apply/set0Pn; exists (f r); apply: imset_f.
  apply/forall_inP=> _ /imsetP[r /fT[frT _ _] ->]; apply/exists_inP; exists (f (f r)).
    exact: imset_f.
  by have [_ -> ->] := fT _ frT.
have [f fT] := fin_all_exists fP.
have only r c : r \in T -> c \in T -> c != r -> A r c != 0 -> c = f r.
  move=> rT cT cr Ac; apply/eqP; apply: contraT => cf.
  pose g r' := if r' == r then c else f r'.
  have gT r' : r' \in T -> [/\ g r' \in T, g r' != r' & A r' (g r') != 0].
    by rewrite /g; case: eqP => [->|_ /fT].
  have fI : {in T &, injective f} by apply/imset_injP; rewrite (onto f fT).
  have : f r \in g @: T by rewrite (onto g gT); case: (fT r rT).
  case/imsetP=> r' r'T; rewrite /g; case: eqP => [_ /eqP|r'r /(fI _ _ rT r'T) //].
    by rewrite eq_sym (negPf cf).
  by move=> rE; case: r'r.
apply/negP; rewrite card_ker1 => /subsetP/(_ (\col_c (c \in T)%:R)); rewrite in_set1 => ones0.
have [r rT] := set0Pn _ T0'; have /eqP/matrixP/(_ r 0) : \col_c (c \in T)%:R == 0 :> vec n;
  last first.
  by rewrite !mxE rT => /eqP; rewrite oner_eq0.
apply: ones0; apply/kerP; split=> [c cT|{rT} r rT]; first by rewrite mxE (negPf cT).
have [frT fr Afr] := fT r rT; rewrite mxE (bigD1 r) //= (bigD1 (f r)) //= diag !mxE rT frT !mulr1.
rewrite big1 ?addr0 => [|c /andP[cr cf]]; last first.
  rewrite mxE; have [cT|] := boolP (c \in T); last by rewrite mulr0.
  by apply/eqP; rewrite mulr1; apply: contraT => /(only r c rT cT cr) cE; rewrite cE eqxx in cf.
by move: Afr; rewrite f2_neq0 => /eqP ->; apply: f2_addxx.
Qed.

(* With a diagonal of ones, one row after another that leads nowhere. *)
Lemma triangular_order A : (forall r, A r r = 1) -> (forall T, ~~ no_sink A T) ->
  exists s, triangular_along A s.
Proof.
move=> diag sinks; have [|S S1 _|s sP] := @order_up _
    (fun S r => forall c, c \notin S -> c != r -> A r c = 0) (fun=> True); rewrite //.
  have := sinks (~: S).
  rewrite negb_and negbK (_ : (~: S == set0) = false) /=; last first.
    by apply: contraNF S1 => /eqP S0; rewrite -(setCK S) S0 setC0.
  rewrite negb_forall => /existsP[r]; rewrite negb_imply inE => /andP[rS /existsPn none].
  exists r; split=> // c cS cr; apply/eqP; have := none c; rewrite inE cS cr /= negbK //.
exists s => i j; split=> [|lt_ij]; first exact: diag.
apply: sP; last by rewrite (inj_eq perm_inj) eq_sym -val_eqE neq_ltn lt_ij.
by rewrite mem_imset ?inE -?leqNgt 1?ltnW //; apply: perm_inj.
Qed.

(** Claims: edelman.cor3.3, edelman.cor3.3.converse. *)
Theorem every_order_iff_triangular A :
  (forall l, uniq l -> l =i predT -> exchanges_along A l) <-> exists s, triangular_along A s.
Proof.
split=> [every|[s tri] l lU lT]; last first.
  by apply/(exchanges_iff_kernels A lU lT) => i; apply: triangular_kernels tri.
have kers T : #|ker A T T| = 1%N.
  pose l := enum T ++ enum (~: T).
  have lU : uniq l.
    rewrite cat_uniq !enum_uniq andbT; apply/hasPn=> x; rewrite /= !mem_enum inE => //.
  have lT : l =i predT by move=> x; rewrite mem_cat !mem_enum !inE orbN.
  have /(exchanges_iff_kernels A lU lT)/(_ #|T|) := every l lU lT.
  have TE : [set x in take #|T| l] = T.
    by rewrite cardE take_size_cat //; apply/setP=> x; rewrite inE mem_enum.
  by rewrite TE.
have diag r : A r r = 1.
  apply/eqP; rewrite -f2_neq0; have /eqP := kers [set r]; rewrite card_ker1.
  move=> /subsetP/(_ (delta_mx r 0)); rewrite in_set1 => sub; apply/negP=> /eqP Arr.
  have /eqP/matrixP/(_ r 0) : delta_mx r 0 == 0 :> vec n; last first.
    by rewrite !mxE !eqxx => /eqP; rewrite oner_eq0.
  apply: sub; apply/kerP; split=> i; rewrite inE => ir; first by rewrite mxE (negPf ir).
  by rewrite -colE mxE (eqP ir) Arr.
apply: triangular_order => // T; apply/negP=> /(no_sink_kernel diag)[T' /eqP[]]; exact: kers.
Qed.

(* A closed walk along entries off the diagonal. *)
Definition entry_cycle A l := (l != [::]) && path.cycle (fun r c => (r != c) && (A r c != 0)) l.

Lemma no_sink_cycle A T : no_sink A T -> exists l, entry_cycle A l.
Proof.
case/andP=> /set0Pn[r0 r0T] /forall_inP out; pose e r c := (r != c) && (A r c != 0).
have fP r : exists c, r \in T -> (c \in T) && e r c.
  have [/out/exists_inP[c cT /andP[cr Ac]]|rT] := boolP (r \in T); last first.
    by exists r; rewrite (negPf rT).
  by exists c => _; rewrite cT /e eq_sym cr.
have [f fT] := fin_all_exists fP.
have walk (k : nat) r : r \in T -> (iter k f r \in T) && path e r (traject f (f r) k).
  elim: k r => [|k IH] r rT; first by rewrite /= rT.
  have /andP[frT er] := fT r rT; rewrite iterSr /= er /=; exact: IH.
have /injectivePn[i [j ij same]] : ~~ injectiveb (fun k : 'I_n.+1 => iter k f r0).
  by apply/negP=> /injectiveP/leq_card; rewrite !card_ord ltnn.
wlog lt_ij : i j ij same / (i < j)%N.
  move=> wl; have [lt_ij|lt_ji|/val_inj ijE] := ltngtP i j; first exact: (wl i j).
    by apply: (wl j i) => //; rewrite eq_sym.
  by rewrite ijE eqxx in ij.
pose y := iter i f r0; have yT : y \in T by have /andP[] := walk i r0 r0T.
have back : iter (j - i) f y = y by rewrite -iterD subnK ?(ltnW lt_ij) // -same.
exists (traject f y (j - i)); move: (lt_ij); rewrite -subn_gt0.
case: (j - i)%N back => // k back _; apply/andP; split=> //=.
have /andP[_] := walk k.+1 y yT.
by rewrite trajectSr -iterSr back.
Qed.

Lemma triangular_no_cycle A s l : triangular_along A s -> ~~ entry_cycle A l.
Proof.
move=> tri; apply/negP=> /andP[]; case: l => //= x l _ xl.
pose later := [rel r c : 'I_n | ((s^-1)%g c < (s^-1)%g r)%N].
have : path later x (rcons l x).
  apply: sub_path xl => r c /= /andP[rc Arc]; rewrite ltn_neqAle; apply/andP; split.
    by apply: contra rc => /eqP/val_inj/perm_inj ->.
  rewrite leqNgt; apply: contra Arc => lt_rc.
  by rewrite -(permKV s r) -(permKV s c) (tri _ _).2.
move/order_path_min => min; have /allP/(_ x) : all (later x) (rcons l x).
  by apply: min => r1 r2 r3 /= h1 h2; apply: ltn_trans h2 h1.
by rewrite mem_rcons inE eqxx /= ltnn => /(_ isT).
Qed.

(* In words: just for a diagonal of ones and no directed cycle of entries off it. *)
(** Claims: edelman.cor3.3.converse. *)
Theorem triangular_iff_no_cycle A : (exists s, triangular_along A s) <->
  (forall r, A r r = 1) /\ forall l, ~~ entry_cycle A l.
Proof.
split=> [[s tri]|[diag none]]; last first.
  by apply: triangular_order => // T; apply/negP=> /no_sink_cycle[l]; apply/negP.
split=> [r|l]; last exact: triangular_no_cycle tri.
by rewrite -(permKV s r) (tri _ ((s^-1)%g r)).1.
Qed.

(* Along the natural order: the leading principal minors. *)
Theorem edelman_theorem_3_1 A : exchanges_along A (enum 'I_n) <->
  forall i : nat, \det (minor A (below n i) (below n i)) != 0.
Proof.
have eU : uniq (enum 'I_n) := enum_uniq _; have eT : enum 'I_n =i predT by move=> k;
  rewrite mem_enum.
have takeE (i : nat) : [set x in take i (enum 'I_n)] = below n i.
  apply/setP=> x; rewrite !inE -(mem_map val_inj) map_take val_enum_ord.
  have [le_in|lt_ni] := leqP i n; last by rewrite take_oversize ?size_iota ?mem_iota ?ltn_ord
    ?(ltn_trans _ lt_ni) // ltnW.
  by rewrite take_iota (minn_idPl le_in) mem_iota.
by apply: iff_trans (exchanges_iff_minors A eU eT) _; split=> H i; have := H i; rewrite takeE.
Qed.

End Exchanges.
