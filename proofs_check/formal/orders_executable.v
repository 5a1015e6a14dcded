(* What no other program evaluates, on lists of booleans: ranks, orders, degrees, the Origin, linear
   mappings, exchanges, Sibeyn's, HL, fat trees, the subset programme. Each program is proved equal
   to its definition here.

   `build.py` has the prover evaluate them for all matrices with n <= 2 and some with n = 3
   (`ordered.txt`), and a test compares the numbers with counts of its own. An order s is the list
   of s 0, s 1, ...; a product of matrices applies the first of a list first. *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra zify.
From lcc Require Import utility kernel lattice reordering ecube lcp_optimizer origin linear.
From lcc Require Import exchanges gauss_jordan sibeyn counting free hl programme fattree.
From lcc Require Import executable lcp_executable certificate kernel_executable.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** The programs *)

Definition run_below n i := mkseq (fun k => k < i)%N n.
Definition run_prefix n (l : seq nat) i := mkseq (fun k => k \in take i l) n.
Definition run_all n := nseq n true.
Definition run_some (n : nat) := nseq n false.

Definition run_minor n A (R C : seq bool) :=
  [seq [seq entry A i j | j <- iota 0 n & nth false C j] | i <- iota 0 n & nth false R i].

Definition run_rank n A (R C : seq bool) :=
  (count (nth false C) (iota 0 n) - trunc_log 2 (run_ker n A R C))%N.

Definition run_renamed n A (l : seq nat) :=
  mkseq (fun r => mkseq (fun c => entry A (nth 0%N l r) (nth 0%N l c)) n) n.

Definition run_route n (src dst : nat -> bool) l :=
  scanl (fun v j => mkseq (fun i => if i == j then dst i else nth false v i) n) (mkseq src n) l.

Definition run_max n (F : nat -> nat) := foldr maxn 0%N [seq F i | i <- iota 0 n].

Definition run_contention n A b i :=
  run_load n (nth false) (run_image n A b) (run_some n) (run_below n i) i.
Definition run_scatter_contention n A b i :=
  run_load n (run_image n A b) (nth false) (run_some n) (run_below n i) i.

Definition run_least_degree n A b :=
  if run_equal n n A (run_unit n) && ~~ has (nth false b) (iota 0 n) then 0%N
  else (2 ^ (n.-1 - run_rank n A (run_all n) (run_all n)))%N.

Definition run_of_theorem_5 n A l := all (fun i => i - run_rank n (run_renamed n A l)
  (run_below n i.+1) (run_below n i) <= n.-1 - run_rank n A (run_all n) (run_all n))%N (iota 0 n).

Definition run_reversal n := rev (iota 0 n).

Definition run_inner n := mkseq (fun i => i == 0%N) n.
Definition run_origin n A b i :=
  if i == 0%N then 0%N
  else run_load n (nth false) (run_image n A b) (run_inner n) (run_below n i) i.
Definition run_origin_scatter n A b i :=
  if i == 0%N then 0%N
  else run_load n (run_image n A b) (nth false) (run_inner n) (run_below n i) i.
Definition run_reversal0 n := 0%N :: rev (iota 1 n.-1).

Definition run_displaced n A b v := all (fun x =>
  all (fun i => run_image n A b x i == nth false x i) (iota 0 n)
  || all (fun i => run_image n A b x i (+) nth false x i == nth false v i) (iota 0 n)) (words n).
Definition run_origin_least n A b := if has (run_displaced n.+1 A b) (words n.+1) then 0%N
  else (2 ^ (n - run_rank n.+1 A (run_all n.+1) (run_all n.+1)))%N.
Definition run_row0_off n (w : seq bool) := mkseq (fun i => mkseq (fun j =>
  if (j == 0%N) && (i != 0%N) then nth false w i else i == j) n) n.

(** ** What the lists stand for *)

Section Meaning.

Variable n : nat.
Implicit Types (A X : seq (seq bool)) (b x S R C : seq bool) (i j k : 'I_n) (s : 'S_n).

Definition lists_order (l : seq nat) s := size l = n /\ forall k, nth 0%N l k = s k.

Lemma all_words (P : pred (vec n)) : all (P \o vec_of n) (words n) = [forall v, P v].
Proof.
rewrite -all_map -(perm_all _ (words_perm n)).
by apply/allP/forallP=> [every v|every v _]; apply: every; rewrite ?mem_enum.
Qed.

Lemma has_words (P : pred (vec n)) : has (P \o vec_of n) (words n) = [exists v, P v].
Proof.
rewrite -has_map -(perm_has _ (words_perm n)).
by apply/hasP/existsP=> [[v _ Pv]|[v Pv]]; exists v; rewrite ?mem_enum.
Qed.

Lemma run_maxE (F : nat -> nat) : run_max n F = \max_(i < n) F i.
Proof. by rewrite /run_max foldrE big_map -{1}[n]subn0 -/(index_iota 0 n) big_mkord. Qed.

Lemma set_below (i : nat) : set_of n (run_below n i) = below n i.
Proof. by apply/setP=> k; rewrite !inE nth_mkseq. Qed.

Lemma set_all : set_of n (run_all n) = setT.
Proof. by apply/setP=> k; rewrite !inE nth_nseq ltn_ord. Qed.

Lemma set_some : set_of n (run_some n) = set0.
Proof. by apply/setP=> k; rewrite !inE nth_nseq if_same. Qed.

Lemma run_prefixE l s (i : nat) : lists_order l s -> set_of n (run_prefix n l i) = prefix s i.
Proof.
move=> [ln ls]; apply/setP=> k; rewrite inE nth_mkseq //.
apply/idP/imsetP=> [|[j]].
  move/(nthP 0%N)=> [p]; rewrite size_take ln => lt_p; have pn : (p < n)%N.
    by move: lt_p; case: ifP; lia.
  rewrite nth_take; last by move: lt_p; case: ifP; lia.
  rewrite (ls (Ordinal pn)) => /val_inj <-; exists (Ordinal pn) => //.
  by rewrite inE /=; move: lt_p; case: ifP; lia.
rewrite inE => ji ->; rewrite -ls; have := ltn_ord j => jn.
rewrite -(nth_take 0%N ji) mem_nth // size_take ln; case: ifP => // _.
Qed.

Lemma entry_mat A i j : mat n n A i j = bit (entry A i j).
Proof. by rewrite mxE. Qed.

Lemma mat_inj A X : run_equal n n A X = (mat n n A == mat n n X).
Proof.
apply/idP/eqP=> [/mat_equal //|/matrixP AX]; rewrite /run_equal all_iota.
apply/forallP=> i; rewrite all_iota; apply/forallP=> j.
by have /eqP := AX i j; rewrite !mxE bit_eq.
Qed.

Lemma val_set_of C : map val (enum (set_of n C)) = [seq j <- iota 0 n | nth false C j].
Proof.
rewrite -val_enum_ord filter_map; congr map.
by rewrite {1}/enum_mem -enumT; apply: eq_filter => j; rewrite /= inE.
Qed.

Lemma card_set_of C : #|set_of n C| = count (nth false C) (iota 0 n).
Proof. by rewrite cardE -(size_map val) val_set_of size_filter. Qed.

Lemma run_minorE A R C (x : 'I_#|set_of n R|) (y : 'I_#|set_of n C|) :
  minor (mat n n A) (set_of n R) (set_of n C) x y = bit (entry (run_minor n A R C) x y).
Proof.
have val_nth D (z : 'I_#|set_of n D|) :
    val (enum_val z) = nth 0%N [seq j <- iota 0 n | nth false D j] z.
  rewrite -val_set_of (nth_map (enum_val z)) -?cardE //; congr val; exact: enum_val_nth.
have sizeD D : size [seq j <- iota 0 n | nth false D j] = #|set_of n D|.
  by rewrite size_filter card_set_of.
rewrite !mxE /run_minor /entry (nth_map 0%N) ?sizeD // (nth_map 0%N) ?sizeD //.
by rewrite -!val_nth.
Qed.

Lemma run_rankE A R C :
  run_rank n A R C = \rank (minor (mat n n A) (set_of n R) (set_of n C)).
Proof.
rewrite /run_rank run_kerE -mat_of_mat card_ker -card_set_of trunc_expnK // subKn //.
exact: rank_leq_col.
Qed.

Lemma run_rank_all A : run_rank n A (run_all n) (run_all n) = \rank (mat n n A).
Proof.
have := card_ker_full (mat n n A).
rewrite /run_rank run_kerE -mat_of_mat -card_set_of set_all => ->.
by rewrite trunc_expnK // cardsT card_ord subKn // rank_leq_col.
Qed.

Lemma run_renamedE A l s : lists_order l s ->
  mat n n (run_renamed n A l) = renamed (mat n n A) (perm_mx s).
Proof.
have inverse : invmx (perm_mx s) = perm_mx s^-1 :> 'M['F_2]_n.
  have sU := unitmx_perm [fieldType of 'F_2] s; apply: (can_inj (mulKmx sU)).
  by rewrite mulmxV // -perm_mxM mulgV perm_mx1.
move=> [_ ls]; rewrite /renamed inverse -row_permE -col_permE; apply/matrixP=> r c.
by rewrite !mxE /entry !nth_mkseq // !ls.
Qed.

Lemma run_routeE (src dst : vec n -> vec n) (rsrc rdst : nat -> bool) (m : vec n) (l : seq 'I_n) :
  (forall i, bit (rsrc i) = src m i 0) -> (forall i, bit (rdst i) = dst m i 0) ->
  map (vec_of n) (run_route n rsrc rdst (map val l)) = route src dst m l.
Proof.
move=> srcE dstE; rewrite /run_route /route.
have : vec_of n (mkseq rsrc n) = src m.
  by apply/matrixP=> i z; rewrite (ord1 z) mxE nth_mkseq.
elim: l (mkseq rsrc n) (src m) => //= j l IH w v wv; congr cons; last apply: IH.
  by apply/matrixP=> i z; rewrite (ord1 z) !mxE nth_mkseq // val_eqE -wv mxE; case: ifP.
by apply/matrixP=> i z; rewrite (ord1 z) !mxE nth_mkseq // val_eqE -wv mxE; case: ifP.
Qed.

(** ** Degrees *)

Lemma run_contentionE A b i :
  run_contention n A b i = contention (mat n n A) (vec_of n b) i.
Proof. by rewrite /run_contention run_gather_load set_some set_below mat_of_mat. Qed.

Lemma run_scatter_contentionE A b i :
  run_scatter_contention n A b i = scatter_contention (mat n n A) (vec_of n b) i.
Proof. by rewrite /run_scatter_contention run_scatter_load set_some set_below mat_of_mat. Qed.

Lemma run_degree_allE A b :
  run_max n (run_contention n A b) = degree (mat n n A) (vec_of n b).
Proof. by rewrite run_maxE; apply: eq_bigr => i _; apply: run_contentionE. Qed.

Lemma run_scatter_degree_allE A b :
  run_max n (run_scatter_contention n A b) = scatter_degree (mat n n A) (vec_of n b).
Proof. by rewrite run_maxE; apply: eq_bigr => i _; apply: run_scatter_contentionE. Qed.

Lemma vec_zero b : ~~ has (nth false b) (iota 0 n) = (vec_of n b == 0).
Proof.
rewrite -all_predC all_iota; apply/forallP/eqP=> [off|b0 i].
  by apply/matrixP=> i z; rewrite !mxE /=; have /= /negPf -> := off i.
by have /matrixP/(_ i 0)/eqP := b0; rewrite !mxE /= bit_zero.
Qed.

Lemma run_least_degreeE A b :
  run_least_degree n A b = least_degree (mat n n A) (vec_of n b).
Proof. by rewrite /run_least_degree mat_inj mat_unit vec_zero run_rank_all. Qed.

Lemma run_of_theorem_5P A l s : lists_order l s ->
  reflect (of_theorem_5 (mat n n A) s) (run_of_theorem_5 n A l).
Proof.
move=> ls; rewrite /run_of_theorem_5 all_iota; apply: (iffP forallP) => every i; move: (every i);
  by rewrite run_rankE run_rank_all !set_below (run_renamedE _ ls).
Qed.

Lemma displaced_words A b v x :
  all (fun k : nat => run_image n A b x k == nth false x k) (iota 0 n)
  || all (fun k : nat => run_image n A b x k (+) nth false x k == nth false v k) (iota 0 n)
  = (mat n n A *m vec_of n x + vec_of n x + vec_of n b == 0)
    || (mat n n A *m vec_of n x + vec_of n x + vec_of n b == vec_of n v).
Proof.
have shift i : (mat n n A *m vec_of n x + vec_of n x + vec_of n b) i 0
    = bit (run_image n A b x i) + bit (nth false x i).
  rewrite run_imageE /image mat_of_mat -addrA [vec_of n x + _]addrC addrA mxE.
  by rewrite [vec_of n x i 0]mxE.
rewrite !all_iota; congr (_ || _); apply/forallP/eqP=> [same|/matrixP same i].
- apply/matrixP=> i z; rewrite (ord1 z) shift mxE; have /eqP -> := same i; exact: f2_addxx.
- by have := same i 0; rewrite shift mxE => /eqP; rewrite f2_add_eq0 bit_eq.
- by apply/matrixP=> i z; rewrite (ord1 z) shift mxE -bit_add; have /eqP -> := same i.
by have := same i 0; rewrite shift mxE -bit_add => /eqP; rewrite bit_eq.
Qed.

Lemma run_reversalE : lists_order (run_reversal n) (@reversal n).
Proof.
split=> [|k]; first by rewrite size_rev size_iota.
have lt_k := ltn_ord k; rewrite permE nth_rev ?size_iota // nth_iota //=; lia.
Qed.

End Meaning.

(** ** The Origin and linear mappings *)

Section Origin.

Variable n : nat.
Local Notation m := n.+1.
Implicit Types (A : seq (seq bool)) (b v w : seq bool) (i : 'I_m).

Lemma set_inner : set_of m (run_inner m) = [set ord0].
Proof. by apply/setP=> k; rewrite !inE nth_mkseq. Qed.

Lemma max_origin (F : 'I_m -> nat) (f : nat -> nat) :
  (forall i, f i = if i == ord0 then 0%N else F i) -> run_max m f = \max_(i | i != ord0) F i.
Proof.
by move=> fE; rewrite run_maxE [RHS]big_mkcond /=; apply: eq_bigr => i _; rewrite fE; case: eqP.
Qed.

Lemma run_origin_degreeE A b :
  run_max m (run_origin m A b) = origin_degree (mat m m A) (vec_of m b).
Proof.
apply: max_origin => i; rewrite /run_origin -[i == 0%N :> nat]/(i == ord0); case: ifP => // _.
by rewrite run_gather_load set_inner set_below mat_of_mat.
Qed.

Lemma run_origin_scatter_degreeE A b :
  run_max m (run_origin_scatter m A b) = origin_scatter_degree (mat m m A) (vec_of m b).
Proof.
apply: max_origin => i; rewrite /run_origin_scatter -[i == 0%N :> nat]/(i == ord0).
case: ifP => // _; by rewrite run_scatter_load set_inner set_below mat_of_mat.
Qed.

Lemma run_reversal0E : lists_order (run_reversal0 m) (@reversal0 n).
Proof.
split=> [|k]; first by rewrite /= size_rev size_iota.
rewrite permE /outside_reversed; case: (eqVneq k ord0) => [->//|k0].
have lt_k := ltn_ord k; have : (0 < k)%N by rewrite lt0n.
case: k lt_k {k0} => -[|k] //= lt_k _ _; rewrite inordK; last lia.
have := @nth_rev _ 0%N k (iota 1 n); rewrite size_iota => -> //; rewrite nth_iota; lia.
Qed.

Lemma run_displacedE A b v :
  run_displaced m A b v = displaced_by (mat m m A) (vec_of m b) (vec_of m v).
Proof.
rewrite /displaced_by -all_words; apply: eq_all => x; apply: displaced_words.
Qed.

Lemma run_origin_leastE A b :
  run_origin_least n A b = origin_least (mat m m A) (vec_of m b).
Proof.
rewrite /run_origin_least /origin_least -has_words run_rank_all.
by congr (if _ then _ else _); apply: eq_has => v; rewrite /= run_displacedE.
Qed.

Lemma run_row0_offE w : mat m m (run_row0_off m w) = row0_off (vec_of m w).
Proof.
by apply/matrixP=> i j; rewrite !mxE /entry !nth_mkseq // -!val_eqE /=; case: ifP.
Qed.

End Origin.

(** ** Exchanges *)

Definition run_product n (E : nat -> seq (seq bool)) l :=
  foldl (fun X k => run_times n n n (E k) X) (run_unit n) l.

(* The identity with the row k replaced. *)
Definition run_with_row n k (w : seq bool) :=
  mkseq (fun r => mkseq (fun c => if r == k then nth false w c else r == c) n) n.

Fixpoint run_along n A l X := if l is k :: l' then
  has (fun w => nth false w k
    && run_along n A l' (run_times n n n (run_with_row n k w) X)) (words n)
  else run_equal n n X A.

Definition run_triangular n A l := all (fun i => entry A (nth 0%N l i) (nth 0%N l i)
  && all (fun j => (i < j)%N ==> ~~ entry A (nth 0%N l i) (nth 0%N l j)) (iota 0 n)) (iota 0 n).

Definition run_cycle A (l : seq nat) :=
  (l != [::]) && path.cycle (fun r c => (r != c) && entry A r c) l.

Definition run_apply n M x := mkseq (fun i => run_row n (nth [::] M i) x) n.
Definition run_position n E d t x := run_apply n (run_product n E (take (t - d) (iota 0 n))) x.

(* Swap n is one at which any two data sets can meet that ever do. *)
Definition run_pipelined n A (E : nat -> seq (seq bool)) :=
  run_equal n n (run_product n E (iota 0 n)) A &&
  all (fun d => all (fun d' => all (fun x => all (fun x' =>
    [&& run_position n E d n x == run_position n E d' n x',
        run_position n E d n.+1 x == run_position n E d' n.+1 x'
      & run_position n E d n.+1 x != run_position n E d n x] ==> (d == d') && (x == x'))
  (words n)) (words n)) (iota 0 n.+2)) (iota 0 n.+2).

Definition run_neighbours n (tau : nat -> bool) k := if tau k
  then mkseq (fun r => mkseq (fun c => c == exchanged k (if k.+1 < n then k.+1 else 0)%N r) n) n
  else run_unit n.
Definition run_neighbours_back n tau l :=
  foldr (fun k X => run_times n n n (run_neighbours n tau k) X) (run_unit n) l.

Definition run_occupancy_one n A :=
  all (fun i => run_ker n A (run_below n i) (run_below n i) == 1%N) (iota 0 n.+1).
Definition run_always_free n A :=
  all (fun b => run_max n (run_contention n A b) <= 1)%N (words n).

Section Exchanges.

Variable n : nat.
Implicit Types (A X : seq (seq bool)) (w x : seq bool) (k r c : 'I_n) (l : seq 'I_n).

Lemma word_of (v : vec n) : exists2 w, w \in words n & vec_of n w = v.
Proof.
have := mem_enum (mem [finType of vec n]) v; rewrite (perm_mem (words_perm n)).
rewrite inE => /mapP[w wn ->].
by exists w.
Qed.

Lemma vec_of_inj x w : x \in words n -> w \in words n -> (vec_of n x == vec_of n w) = (x == w).
Proof.
rewrite !mem_words => /eqP xn /eqP wn; apply/eqP/eqP=> [/matrixP xw|-> //].
apply: (@eq_from_nth _ false); rewrite ?xn ?wn // => i lt_in.
by have /eqP := xw (Ordinal lt_in) 0; rewrite !mxE bit_eq => /eqP.
Qed.

Lemma run_productE (E : nat -> seq (seq bool)) l :
  mat n n (run_product n E (map val l)) = product (fun k => mat n n (E k)) l.
Proof.
rewrite /run_product /product; have := mat_unit n; move: (run_unit n) (1%:M) => X Y.
by elim: l X Y => [|k l IH] X Y XY //=; apply: IH; rewrite mat_times XY.
Qed.

Lemma exchange_with_row k w : exchange k (mat n n (run_with_row n k w)) = nth false w k.
Proof.
rewrite /exchange mxE /entry !nth_mkseq // eqxx bit_one; case: (nth false w k) => //=.
apply/forallP=> r; apply/implyP=> rk; apply/eqP/rowP=> c.
by rewrite !mxE /entry !nth_mkseq // eqxx /= val_eqE (negPf rk) -val_eqE eq_sym.
Qed.

Lemma exchange_is_row k (X : 'M['F_2]_n) : exchange k X ->
  exists2 w, w \in words n & nth false w k /\ X = mat n n (run_with_row n k w).
Proof.
move=> kX; have [w wn wX] := word_of (row k X)^T; exists w => //.
have entryX c : X k c = bit (nth false w c).
  by have /matrixP/(_ c 0) := wX; rewrite !mxE => ->.
case/andP: kX => /eqP + /forallP rest; rewrite entryX => kk; split.
  by move/eqP: kk; rewrite bit_one.
apply/matrixP=> r c; rewrite mxE /entry !nth_mkseq // val_eqE; case: eqP => [->//|/eqP rk].
have := rest r; rewrite rk => /eqP/rowP/(_ c); rewrite !mxE => ->.
by rewrite eqxx eq_sym.
Qed.

Lemma run_alongP A X l : uniq l -> run_along n A (map val l) X <->
  exists E, (forall k, exchange k (E k)) /\ mat n n A = foldl (fun Y k => E k *m Y) (mat n n X) l.
Proof.
elim: l X => [|k l IH] X /=.
  move=> _; rewrite mat_inj; split=> [/eqP XA|[E [_ ->]] //].
  exists (fun=> 1%:M); split=> // k; rewrite /exchange mxE !eqxx /=.
  by apply/forallP=> r; apply/implyP=> _; rewrite row1.
case/andP=> kl lU; split=> [/hasP[w _ /andP[wk /(IH _ lU)[E [eE AE]]]]|[E [eE AE]]].
  exists (fun j => if j == k then mat n n (run_with_row n k w) else E j); split.
    by move=> j; case: eqP => [->|//]; rewrite exchange_with_row.
  rewrite AE mat_times eqxx; apply: eq_in_foldl => Y j jl.
  by case: eqP kl => [<-|//]; rewrite jl.
have [w wn [wk Ek]] := exchange_is_row (eE k); apply/hasP; exists w => //; rewrite wk.
by apply/(IH _ lU); exists E; split=> //; rewrite mat_times -Ek.
Qed.

Lemma run_exchanges_alongP A l : uniq l ->
  run_along n A (map val l) (run_unit n) <-> exchanges_along (mat n n A) l.
Proof. by move=> lU; rewrite run_alongP // mat_unit. Qed.

Lemma run_triangularP A (l : seq nat) (s : 'S_n) : lists_order l s ->
  reflect (triangular_along (mat n n A) s) (run_triangular n A l).
Proof.
move=> [_ ls]; rewrite /run_triangular all_iota; apply: (iffP forallP) => every.
  move=> i j; have := every i; rewrite all_iota !ls => /andP[ii /forallP/(_ j) ij].
  rewrite !entry_mat ii; split=> // lt_ij; move: ij; rewrite lt_ij ls /= => /negPf -> //.
move=> i; have [+ _] := every i i; rewrite !ls entry_mat => /eqP; rewrite bit_one => -> /=.
rewrite all_iota; apply/forallP=> j; apply/implyP=> lt_ij; have [_ /(_ lt_ij)] := every i j.
by rewrite entry_mat ls => /eqP; rewrite bit_zero.
Qed.

Lemma run_cycleE A l : run_cycle A (map val l) = entry_cycle (mat n n A) l.
Proof.
rewrite /run_cycle /entry_cycle; case: l => //= k l.
have -> : rcons [seq val i | i <- l] (val k) = map val (rcons l k) by rewrite map_rcons.
by rewrite path_map; apply: eq_path => r c /=; rewrite entry_mat bit_neq0.
Qed.

Lemma vec_of_apply M x : vec_of n (run_apply n M x) = mat n n M *m vec_of n x.
Proof. exact: vec_of_image. Qed.

Lemma run_positionE E (d t : nat) x : vec_of n (run_position n E d t x)
  = position (fun k => mat n n (E k)) d t (vec_of n x).
Proof. by rewrite /run_position vec_of_apply /position -val_enum_ord -map_take run_productE. Qed.

Lemma apply_words M x : run_apply n M x \in words n.
Proof. by rewrite mem_words size_mkseq. Qed.

Lemma position_pass (E : 'I_n -> 'M['F_2]_n) (d t d' t' : nat) v :
  minn (t - d) n = minn (t' - d') n -> position E d t v = position E d' t' v.
Proof.
have clip a : take a (enum 'I_n) = take (minn a n) (enum 'I_n).
  by case: (leqP a n) => // na; rewrite !take_oversize ?size_enum_ord //; lia.
by move=> same; rewrite /position clip same -clip.
Qed.

Lemma run_pipelinedP A E :
  run_pipelined n A E <-> pipelined (mat n n A) (fun k => mat n n (E k)).
Proof.
rewrite /run_pipelined mat_inj -val_enum_ord run_productE.
pose F (k : 'I_n) := mat n n (E k); rewrite -/F.
have last_is d t v : (n <= t - d)%N -> position F d t v = product F (enum 'I_n) *m v.
  by move=> le_n; rewrite /position take_oversize ?size_enum_ord.
split=> [/andP[/eqP done meet] m|pipe]; last first.
  apply/andP; split.
    apply/eqP/mul_vec_inj => v; have [/(_ 0%N v isT) <- _] := pipe 1%N.
    by rewrite last_is //; lia.
  apply/allP=> d _; apply/allP=> d' _; apply/allP=> x xn; apply/allP=> x' x'n.
  apply/implyP; rewrite -!vec_of_inj ?apply_words // !run_positionE => /and3P[/eqP a /eqP b c].
  by have [_ /(_ _ _ _ _ _ a b c)[-> ->]] := pipe 0%N; rewrite !eqxx.
split=> [d v lt_d|t d d' v v' here there moves]; first by rewrite last_is ?done //; lia.
have lt_td : (t - d < n)%N.
  by rewrite ltnNge; apply/negP=> le_n; case/eqP: moves; rewrite !last_is //; lia.
have le_dt : (d <= t)%N.
  by rewrite leqNgt; apply/negP=> lt; case/eqP: moves; apply: position_pass; lia.
pose D := (n - (t - d))%N; pose D' := if (t < d')%N then n.+1 else (n - (t - d'))%N.
have D'E : D' = (if (t < d')%N then n.+1 else (n - (t - d'))%N) by [].
have [x xn xv] := word_of v; have [x' x'n x'v] := word_of v'.
have Dn : D \in iota 0 n.+2 by rewrite mem_iota /D; lia.
have D'n : D' \in iota 0 n.+2 by rewrite mem_iota D'E; case: ifP; lia.
have now u : position F D n u = position F d t u by apply: position_pass; rewrite /D; lia.
have next u : position F D n.+1 u = position F d t.+1 u by apply: position_pass; rewrite /D; lia.
have now' u : position F D' n u = position F d' t u.
  by apply: position_pass; rewrite D'E; case: ifP; lia.
have next' u : position F D' n.+1 u = position F d' t.+1 u.
  by apply: position_pass; rewrite D'E; case: ifP; lia.
have /allP/(_ _ D'n)/allP/(_ _ xn)/allP/(_ _ x'n) := allP meet _ Dn.
rewrite -!vec_of_inj ?apply_words // !run_positionE -/F xv x'v now now' next next'.
rewrite here there !eqxx -there -here moves /= => /andP[/eqP DD' /eqP ->]; split=> //.
by move: DD'; rewrite D'E /D; case: ifP; lia.
Qed.

Lemma run_occupancy_oneE A : run_occupancy_one n A = (mat n n A \in occupancy_one n).
Proof.
rewrite /run_occupancy_one inE (all_iota n.+1); apply: eq_forallb => i.
by rewrite run_kerE set_below mat_of_mat.
Qed.

End Exchanges.

(** ** Exchanges of neighbours, and freedom for every b *)

Section Neighbours.

Variable m : nat.
Local Notation n := m.+1.
Implicit Types (k : 'I_n) (l : seq 'I_n) (tau : nat -> bool).

Lemma run_neighboursE tau k : mat n n (run_neighbours n tau k) = neighbours tau k.
Proof.
rewrite /run_neighbours /neighbours; case: (tau k); last exact: mat_unit.
have -> : (if (k.+1 < n)%N then k.+1 else 0)%N = (inord k.+1 : 'I_n).
  case: ifP => [lt_k|/negbT le_k]; first by rewrite inordK.
  by rewrite /inord /insubd insubN.
apply/matrixP=> r c; rewrite !mxE /entry (nth_mkseq [::]) // (nth_mkseq false) //.
by rewrite exchangedE val_eqE eq_sym.
Qed.

Lemma run_neighbours_backE tau l :
  mat n n (run_neighbours_back n tau (map val l)) = neighbours_back tau l.
Proof.
elim: l => [|k l IH]; first exact: mat_unit.
by rewrite [LHS]mat_times run_neighboursE IH.
Qed.

Lemma run_always_freeE A : run_always_free n A = (mat n n A \in always_free m).
Proof.
by rewrite inE -all_words; apply: eq_all => b; rewrite [LHS]/= run_degree_allE.
Qed.

Lemma vec_of_ones : vec_of n (run_all n) = ones m.
Proof. by apply/matrixP=> i z; rewrite !mxE nth_nseq ltn_ord. Qed.

(** ** What LCP_Optimizer passes through *)

Definition run_moments i (s : lists_of_bits) := let j := run_search n i s in
  if (j < n)%N then let: (s', j') := run_settle n i j s in
    s :: s' :: scanl (run_reduce n i j') s' (iota 0 n)
  else [:: s].

Lemma run_momentsE (i : 'I_m) s :
  map (@arrays_of m) (run_moments i s) = moments i (arrays_of m s).
Proof.
rewrite /moments /run_moments -run_searchE.
case: insubP => [j lt_j jE|/negPf ->] //; rewrite -jE ltn_ord.
have [j' []] := run_settleE i j s; case: (run_settle _ _ _ _) => s' j2; rewrite [snd _]/= => -> ->.
rewrite 2!map_cons; congr [:: _, _ & _]; rewrite [fst _]/= -val_enum_ord.
by elim: (enum 'I_n) s' => //= k l IH s'; rewrite run_reduceE IH.
Qed.

End Neighbours.

(** ** Algorithm HL *)

Definition run_meet n A b S x y :=
  let at_ z := run_place n S (nth false z) (run_image n A b z) in (x != y) && (at_ x == at_ y).
Definition run_state_B n A b S := has (fun x => has (run_meet n A b S x) (words n)) (words n).
Definition run_least n (P : nat -> bool) j := P j && all (fun k => P k ==> (j <= k)%N) (iota 0 n).
Definition run_chooses n A b S j := if run_state_B n A b S
  then all (fun x => all (fun y => run_meet n A b S x y ==>
    run_least n (fun k => run_image n A b x k != run_image n A b y k) j) (words n)) (words n)
  else run_least n (fun k => ~~ nth false S k) j.
Definition run_hl_order n A b l :=
  all (fun k => run_chooses n A b (run_prefix n l k) (nth 0%N l k)) (iota 0 n).

Section HL.

Variable n : nat.
Implicit Types (A : seq (seq bool)) (b S x y : seq bool) (j k : 'I_n).

Lemma run_meetE A b S x y : x \in words n -> y \in words n ->
  run_meet n A b S x y = meet (mat n n A) (vec_of n b) (set_of n S) (vec_of n x) (vec_of n y).
Proof.
move=> xn yn; rewrite /run_meet /meet vec_of_inj //; congr (_ && _).
have placeE w := run_placeE (@run_idE n) (run_imageE A b) S w.
by rewrite -mat_of_mat -!placeE vec_of_inj // mem_words size_mkseq.
Qed.

Lemma has_in_words (P : pred (seq bool)) (Q : pred (vec n)) :
  {in words n, P =1 Q \o vec_of n} -> has P (words n) = [exists v, Q v].
Proof. by move=> PQ; rewrite -has_words; apply: eq_in_has. Qed.

Lemma run_state_BE A b S :
  run_state_B n A b S = state_B (mat n n A) (vec_of n b) (set_of n S).
Proof.
by apply: has_in_words => x xn; apply: has_in_words => y yn; apply: run_meetE.
Qed.

Lemma run_leastP (P : nat -> bool) (Q : 'I_n -> bool) j : (forall k, P k = Q k) ->
  reflect (least Q j) (run_least n P j).
Proof.
move=> PQ; rewrite /run_least all_iota PQ; apply: (iffP andP) => -[Qj every]; split=> //.
  by move=> k Qk; have /forallP/(_ k) := every; rewrite PQ Qk.
by apply/forallP=> k; rewrite PQ; apply/implyP; apply: every.
Qed.

Lemma run_choosesP A b S j :
  reflect (hl_chooses (mat n n A) (vec_of n b) (set_of n S) j) (run_chooses n A b S j).
Proof.
rewrite /run_chooses /hl_chooses run_state_BE; case: ifP => _; last first.
  by apply: run_leastP => k; rewrite inE.
have tagE x k : bit (run_image n A b x k) = image (mat n n A) (vec_of n b) (vec_of n x) k 0.
  by rewrite run_imageE mat_of_mat.
have tagsP x y : reflect (least (fun k => image (mat n n A) (vec_of n b) (vec_of n x) k 0
      != image (mat n n A) (vec_of n b) (vec_of n y) k 0) j)
    (run_least n (fun k : nat => run_image n A b x k != run_image n A b y k) j).
  by apply: run_leastP => k; rewrite -!tagE bit_eq.
apply: (iffP allP) => [every v w|every x xn].
  have [x xn <-] := word_of v; have [y yn <-] := word_of w; rewrite -run_meetE // => xy.
  by have /allP/(_ _ yn) := every _ xn; rewrite xy => /tagsP.
apply/allP=> y yn; apply/implyP; rewrite run_meetE // => /every.
by move/tagsP.
Qed.

Lemma run_hl_orderP A b l (s : 'S_n) : lists_order l s ->
  reflect (hl_order (mat n n A) (vec_of n b) s) (run_hl_order n A b l).
Proof.
move=> ls; have [_ lsE] := ls; rewrite /run_hl_order all_iota.
apply: (iffP forallP) => every k; have := every k; rewrite lsE -(run_prefixE _ ls);
  by move/run_choosesP.
Qed.

End HL.

(** ** Fat trees *)

Definition run_climbs n (src dst : nat -> bool) S :=
  has (fun i => ~~ nth false S i && (src i != dst i)) (iota 0 n).
Definition run_tree_load n (src dst : seq bool -> nat -> bool) T S :=
  let climbing := [seq x <- words n | run_climbs n (src x) (dst x) S] in
  let places := [seq run_place n T (src x) (dst x) | x <- climbing] in
  foldr maxn 0%N [seq count (fun p => run_same n (run_some n) p u) places | u <- words n].

(* The rank by how many messages turn, with b and without. *)
Definition run_turning n A b S :=
  let turned b := count (fun x => ~~ run_climbs n (nth false x) (run_image n A b x) S) (words n) in
  (n.+1 - trunc_log 2 (turned b + turned [::]))%N.

Section Trees.

Variable n : nat.
Implicit Types (A : seq (seq bool)) (b S T x : seq bool).

Lemma run_climbsE (src dst : vec n -> vec n) (rsrc rdst : seq bool -> nat -> bool) S x :
  (forall x (i : 'I_n), bit (rsrc x i) = src (vec_of n x) i 0) ->
  (forall x (i : 'I_n), bit (rdst x i) = dst (vec_of n x) i 0) ->
  run_climbs n (rsrc x) (rdst x) S
  = climbs (M := [finType of vec n]) src dst (set_of n S) (vec_of n x).
Proof.
move=> srcE dstE; rewrite /run_climbs -[has _ _]negbK -all_predC all_iota negb_forall.
by apply: eq_existsb => i; rewrite /= negbK !inE -srcE -dstE bit_eq.
Qed.

Lemma run_tree_loadE (src dst : vec n -> vec n) (rsrc rdst : seq bool -> nat -> bool) T S :
  (forall x (i : 'I_n), bit (rsrc x i) = src (vec_of n x) i 0) ->
  (forall x (i : 'I_n), bit (rdst x i) = dst (vec_of n x) i 0) ->
  run_tree_load n rsrc rdst T S
  = tree_load (M := [finType of vec n]) src dst (set_of n T) (set_of n S).
Proof.
move=> srcE dstE; rewrite /run_tree_load /tree_load -max_words; congr (foldr _ _ _).
apply: eq_map => u; rewrite count_map count_filter -count_words; apply: eq_count => x /=.
by rewrite run_sameE (run_placeE srcE dstE) set_some (run_climbsE _ _ srcE dstE) inE.
Qed.

Lemma run_tree_gatherE A b T S : run_tree_load n (nth false) (run_image n A b) T S
  = tree_gather (mat n n A) (vec_of n b) (set_of n T) (set_of n S).
Proof. by rewrite -mat_of_mat; apply: run_tree_loadE (@run_idE n) (run_imageE A b). Qed.

Lemma run_tree_scatterE A b T S : run_tree_load n (run_image n A b) (nth false) T S
  = tree_scatter (mat n n A) (vec_of n b) (set_of n T) (set_of n S).
Proof. by rewrite -mat_of_mat; apply: run_tree_loadE (run_imageE A b) (@run_idE n). Qed.

Lemma run_turningE A b S :
  run_turning n A b S = \rank (turning (mat n n A) (vec_of n b) (set_of n S)).
Proof.
have turnedE c : count (fun x => ~~ run_climbs n (nth false x) (run_image n A c x) S) (words n)
    = #|turned (mat n n A) (vec_of n c) (set_of n S)|.
  rewrite -count_words; apply: eq_count => x /=.
  by rewrite (run_climbsE _ _ (@run_idE n) (run_imageE A c)) mat_of_mat.
have zero : vec_of n [::] = 0 by apply/matrixP=> i j; rewrite !mxE nth_nil.
by rewrite /run_turning !turnedE zero turned_sum trunc_expnK // subKn // turning_le.
Qed.

End Trees.

(** ** The subset programme *)

Definition run_order_of n S l := uniq l && all (fun i => (i \in l) == nth false S i) (iota 0 n).

Fixpoint run_best n C (price : seq bool -> nat -> C) (add : nat -> C -> nat) v0 k S :=
  if k is k'.+1 then
    let f j := let T := mkseq (fun i => (i != j) && nth false S i) n in
      add (run_best n price add v0 k' T) (price T j) in
    if [seq j <- iota 0 n | nth false S j] is j0 :: l then foldr minn (f j0) (map f l) else v0
  else v0.

Section Programme.

Variables (n : nat) (C : Type) (add : nat -> C -> nat) (v0 : nat).
Variables (price : bits n -> 'I_n -> C) (run_price : seq bool -> nat -> C).
Hypothesis priceE : forall S (j : 'I_n), run_price S j = price (set_of n S) j.
Implicit Types (S : seq bool) (j : 'I_n) (l : seq 'I_n).

Lemma run_order_ofP S l : reflect (order_of (set_of n S) l) (run_order_of n S (map val l)).
Proof.
rewrite /run_order_of (map_inj_uniq val_inj) all_iota.
apply: (iffP andP) => -[lU every]; split=> //.
  by move=> i; have /forallP/(_ i)/eqP := every; rewrite (mem_map val_inj) inE.
by apply/forallP=> i; rewrite (mem_map val_inj) every inE.
Qed.

Lemma run_bestE k S : run_best n run_price add v0 k S = best price add v0 k (set_of n S).
Proof.
elim: k S => //= k IH S; pose T (c : nat) := mkseq (fun i => (i != c) && nth false S i) n.
have TE (j : 'I_n) : set_of n (T j) = set_of n S :\ j.
  by apply/setP=> i; rewrite !inE nth_mkseq.
have members (j : 'I_n) : (val j \in [seq j <- iota 0 n | nth false S j]) = (j \in set_of n S).
  by rewrite mem_filter in_iota andbT inE.
case: pickP => [j0 j0S|none]; last first.
  case E: [seq j <- iota 0 n | nth false S j] => [//|a s].
  have : a \in [seq j <- iota 0 n | nth false S j] by rewrite E mem_head.
  rewrite mem_filter mem_iota => /andP[Sa /= lt_an]; have := none (Ordinal lt_an).
  by rewrite inE Sa.
case: (arg_minnP _ j0S) => j jS low.
case E: [seq j <- iota 0 n | nth false S j] => [|a s].
  by have := members j; rewrite E in_nil => /esym/negP[].
pose f c := add (run_best n run_price add v0 k (T c)) (run_price (T c) c).
apply: (@least_of f).
  apply/mapP; exists (val j); first by rewrite -E members.
  by rewrite /f IH priceE TE.
move=> i; rewrite -E mem_filter mem_iota => /andP[Si /= lt_in].
have iS : Ordinal lt_in \in set_of n S by rewrite inE.
have := low _ iS; by rewrite /f IH (priceE _ (Ordinal lt_in)) (TE (Ordinal lt_in)).
Qed.

Lemma run_programmeE S :
  run_best n run_price add v0 (count (nth false S) (iota 0 n)) S
  = programme price add v0 (set_of n S).
Proof. by rewrite /programme card_set_of run_bestE. Qed.

End Programme.

(** ** What is evaluated *)

From Coq Require Import String.

Definition numbers (l : seq bool) := map nat_of_bool l.

(* Minors and ranks of all R and C; along all orders the renamed matrix, whether it is one of
   Theorem 5, products of exchanges, triangular; the reversals; the rows of w = row 0 of A;
   cycles of up to two; pipelined swaps by the rows of A, that end at A and at their product; the
   exchanges of neighbours where row 0 has a 1; two sets of matrices; ones; orders of all S. *)
Definition matrix_numbers n A : seq nat :=
  let E k := run_with_row n k (nth [::] A k) in let w := nth [::] A 0 in
  numbers (flatten [seq flatten (run_minor n A R C) | R <- words n, C <- words n])
  ++ [seq run_rank n A R C | R <- words n, C <- words n]
  ++ numbers (flatten [seq flatten (run_renamed n A l) ++ [:: run_of_theorem_5 n A l;
       run_along n A l (run_unit n); run_triangular n A l] | l <- orders n])
  ++ run_reversal n ++ run_reversal0 n
  ++ numbers (flatten (run_row0_off n w)
    ++ [seq run_cycle A l | l <- lists n 0 ++ lists n 1 ++ lists n 2]
    ++ [:: run_pipelined n A E; run_pipelined n (run_product n E (iota 0 n)) E]
    ++ flatten [seq flatten (run_neighbours_back n (nth false w) l) | l <- orders n]
    ++ [:: run_occupancy_one n A; run_always_free n A] ++ run_all n
    ++ [seq run_order_of n S l | S <- words n, l <- lists n 1 ++ orders n]).

(* For one b: all routes along all orders; all contentions, the degrees, the least degree; on the
   Origin the degrees, what displaces all, the least degree; whether HL is in state B, what it
   chooses, its orders; the subset programme of every S, for the largest load and the sum; the
   moments of iteration 0 of LCP_Optimizer; on a fat tree the rank of what turns and the eight loads
   of every S. *)
Definition vector_numbers n A b : seq nat :=
  let none := run_some n in let direct := nth false in let image := run_image n A b in
  let table := run_lookup n (run_table n direct image) in
  let moments := if n is m'.+2 then run_moments m'.+1 0 (run_start n A b) else [::] in
  numbers (flatten [seq flatten (run_route n (direct x) (image x) l) | x <- words n, l <- orders n])
  ++ [seq run_contention n A b i | i <- iota 0 n]
  ++ [seq run_scatter_contention n A b i | i <- iota 0 n]
  ++ [:: run_max n (run_contention n A b); run_max n (run_scatter_contention n A b);
         run_least_degree n A b; run_max n (run_origin n A b); run_max n (run_origin_scatter n A b);
         run_origin_least n.-1 A b]
  ++ numbers ([seq run_displaced n A b v | v <- words n]
    ++ [seq run_state_B n A b S | S <- words n]
    ++ [seq run_chooses n A b S j | S <- words n, j <- iota 0 n]
    ++ [seq run_hl_order n A b l | l <- orders n])
  ++ flatten [seq [:: run_best n table maxn 0 (count (nth false S) (iota 0 n)) S;
                      run_best n table addn 0 (count (nth false S) (iota 0 n)) S] | S <- words n]
  ++ numbers (flatten [seq flatten (lV s) ++ flatten (lQ s) | s <- moments])
  ++ flatten [seq run_turning n A b S ::
       flatten [seq [:: run_tree_load n direct image T S; run_tree_load n image direct T S]
               | T <- [:: S; run_all n; none; map negb S]] | S <- words n].

(* All matrices of one and two bits; of three every 73rd, and the identity. *)
Definition chosen n := let all := matrices n n in
  if n is 3 then run_unit 3 :: [seq nth [::] all (k * 73) | k <- iota 0 8] else all.

Definition ordered n : seq string :=
  [seq digits (matrix_numbers n A ++ flatten [seq vector_numbers n A b | b <- words n])
  | A <- chosen n].
