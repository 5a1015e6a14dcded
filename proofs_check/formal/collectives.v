(* Collectives on p ranks: rings, recursive doubling, halving and doubling, Bruck's, binomial trees.

   A step is a list of blocks, each sent from one rank to another, where it is added to what is
   there or takes its place. What a rank holds of a block is how often it has the contribution of
   every rank. In all of these rules a rank hears of a block from one rank at most in a step, so the
   proofs say who holds what after so many steps. Round a ring, block b is summed up by ranks b+1,
   b+2, ...; halving and doubling correct one bit after another, in any order: after the bits S a
   rank has, of the blocks that agree with it in S, the contributions of those that agree with it
   outside S. After k rounds of Bruck's a rank has the blocks of the 2^k ranks from it on, and up a
   binomial tree a multiple of 2^k the contributions of these.

   transfer == source, destination, block, and whether it is added or takes the place
   arrives q b t == the transfer t brings block b to rank q
   after_step held l q b u == how often rank q has the contribution of rank u to block b after the
      transfers l, each of what its source held before
   after_plan held plan == the same after one step after another
   start_all r b u == every rank has its own contribution to every block, and no other
   start_own r b u == rank r has block r, and no other
   sends p to carried adds == every rank r < p sends the blocks b < p with carried r b to rank
      to r
   following p r == the rank after r on a ring of p
   ring_sums p == in step t rank r sends block r-t-1 to the one that follows, added, t < p-1
   ring_copies p == in step t rank r sends block r-t to the one that follows, copied, t < p-1
   has_bit k x == bit k of the number x is 1
   agree S x y == x and y have the same bits in S
   doubling n l == all blocks to the partner along k, for the k in l one after another, added
   halving n S l == those on which the partner along k agrees in S and k, added; then S and k are
      the new S
   gathering n l == those on which the rank agrees in k and what follows in l, copied
   bruck p m == in step k, rank r sends the first min(2^k, p-2^k) of the blocks r, r+1, ... to rank
      r-2^k, k < m, copied
   tree_up p m == in step k the odd multiples of 2^k send all blocks to the multiple below, k < m,
      added
   tree_down p m == the same the other way, k = m-1, ..., 0, copied *)

From mathcomp Require Import all_ssreflect zify.
From lcc Require Import utility line.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Plans *)

Definition transfer := (nat * nat * nat * bool)%type.
Definition arrives q b (t : transfer) := (t.1.1.2 == q) && (t.1.2 == b).
Definition after_step (held : nat -> nat -> nat -> nat) (l : seq transfer) q b u :=
  (if has (fun t => arrives q b t && ~~ t.2) l then 0 else held q b u)
  + sumn [seq held t.1.1.1 b u | t <- l & arrives q b t].
Definition after_plan held (plan : seq (seq transfer)) := foldl after_step held plan.

Definition start_all (r b u : nat) : nat := u == r.
Definition start_own (r b u : nat) : nat := (r == b) && (u == b).

Definition sends p (to : nat -> nat) (carried : nat -> nat -> bool) (adds : bool) :=
  [seq ((r, to r, b, adds) : transfer) | r <- iota 0 p, b <- [seq b <- iota 0 p | carried r b]].

Section Sends.

Variables (p : nat) (to : nat -> nat) (c : nat -> nat -> bool) (a : bool).

Lemma mem_sends (t : transfer) : (t \in sends p to c a) =
  [&& t.1.1.1 < p, t.1.2 < p, c t.1.1.1 t.1.2, t.1.1.2 == to t.1.1.1 & t.2 == a].
Proof.
case: t => [[[r q] b] d] /=; apply/allpairsPdep/idP => /= [[x [y []]]|].
  by rewrite mem_filter !mem_iota /= => xp /andP[xy yp] [-> -> -> ->]; rewrite xp yp xy !eqxx.
case/and5P=> rp bp rb /eqP -> /eqP ->; exists r, b.
by rewrite mem_filter !mem_iota rp bp rb.
Qed.

Lemma sends_uniq : uniq (sends p to c a).
Proof.
apply: allpairs_uniq_dep => [|r _|]; rewrite ?filter_uniq ?iota_uniq //.
by move=> [r b] [r' b'] _ _ /= [-> _ ->].
Qed.

Lemma has_arrives (P A : pred transfer) l :
  has (fun t => A t && P t) l = has P [seq t <- l | A t].
Proof. by elim: l => //= t l ->; case: (A t). Qed.

(* One rank sends the block here, or none does. *)
Lemma one_sends h q b u r : r < p -> b < p -> to r = q -> c r b ->
  (forall r', r' < p -> to r' = q -> c r' b -> r' = r) ->
  after_step h (sends p to c a) q b u = (if a then h q b u else 0) + h r b u.
Proof.
move=> rp bp rq rb only; rewrite /after_step has_arrives.
have -> : [seq t <- sends p to c a | arrives q b t] = [:: (r, q, b, a)].
  apply: perm_small_eq => //; apply: uniq_perm; rewrite ?filter_uniq ?sends_uniq // => t.
  rewrite mem_filter mem_sends inE; case: t => [[[r' q'] b'] a'].
  rewrite /arrives !xpair_eqE /=; apply/idP/idP.
    case/andP=> /andP[/eqP -> /eqP ->] /and5P[r'p _ r'b /eqP tor /eqP ->].
    by rewrite (only r') ?eqxx.
  case/andP=> /andP[/andP[/eqP -> /eqP ->] /eqP ->] /eqP ->.
  by rewrite rp bp rb rq !eqxx.
by rewrite /= orbF addn0; case: a.
Qed.

Lemma none_sends h q b u : (forall r, r < p -> to r = q -> ~~ c r b) ->
  after_step h (sends p to c a) q b u = h q b u.
Proof.
move=> none; rewrite /after_step has_arrives.
suff -> : [seq t <- sends p to c a | arrives q b t] = [::] by rewrite addn0.
apply/eqP; rewrite -[_ == _]negbK -has_filter; apply/hasPn=> t; rewrite mem_sends.
case/and5P=> rp bp rb /eqP tor _; apply/negP=> /andP[/eqP tq /eqP tb].
by have := none _ rp; rewrite -tor -tb rb => /(_ tq).
Qed.

End Sends.

(** ** Rings *)

Definition following p r := (r + 1) %% p.
Definition ring_sums p :=
  [seq sends p (following p) (fun r b => b == (r + p - t.+1) %% p) true | t <- iota 0 p.-1].
Definition ring_copies p :=
  [seq sends p (following p) (fun r b => b == (r + p - t) %% p) false | t <- iota 0 p.-1].

Lemma after_cat h l l' : after_plan h (l ++ l') = after_plan (after_plan h l) l'.
Proof. by rewrite /after_plan foldl_cat. Qed.

Lemma after_rcons h (f : nat -> seq transfer) t :
  after_plan h [seq f k | k <- iota 0 t.+1] =
  after_step (after_plan h [seq f k | k <- iota 0 t]) (f t).
Proof. by rewrite -addn1 iotaD map_cat after_cat. Qed.

Lemma previous p r : r < p -> exists r', [/\ r' < p, r'.+1 = r \/ r = 0 /\ r'.+1 = p
  & forall q, q < p -> (following p q == r) = (q == r')].
Proof.
move=> rp; exists (if r == 0 then p.-1 else r.-1); split=> [||q qp].
- by case: eqP; lia.
- by case: eqP; lia.
by rewrite /following mod_once; [case: (ltnP (q + 1) p); case: (r =P 0); lia | lia].
Qed.

(* How far rank r is behind b+1, and behind b. *)
Definition past p b r := if b < r then r - b.+1 else r + p - b.+1.
Definition behind p b r := if r < b then r + p - b else r - b.

Lemma ring_sums_after p t r b u : t < p -> r < p -> b < p ->
  after_plan start_all [seq sends p (following p) (fun r b => b == (r + p - k.+1) %% p) true
                       | k <- iota 0 t] r b u =
  (u < p) && (if past p b r <= t then past p b u <= past p b r else u == r).
Proof.
elim: t r u => [|t IH] r u tp rp bp.
  rewrite /= /start_all /past; congr nat_of_bool.
  by case: (ltnP b r) => br; case: (ltnP b u) => bu; case: (ltnP u p) => up; case: leqP => /=; lia.
have [r' [r'p r'E followingE]] := previous rp; rewrite after_rcons.
have sendsE : (b == (r' + p - t.+1) %% p) = (past p b r == t.+1).
  rewrite mod_once /past; last lia.
  by case: (ltnP (r' + p - t.+1) p); case: (ltnP b r); lia.
have [first|other] := eqVneq (past p b r) t.+1; last first.
  rewrite none_sends => [|q qp /eqP]; last by rewrite followingE // => /eqP ->; rewrite sendsE.
  have -> : (past p b r <= t.+1) = (past p b r <= t) by lia.
  by rewrite IH ?(ltnW tp).
rewrite (@one_sends _ _ _ _ _ _ _ _ r') ?sendsE ?first ?eqxx //; last 2 first.
- by apply/eqP; rewrite followingE.
- by move=> q qp /eqP; rewrite followingE // => /eqP.
have r't : past p b r' = t.
  by move: first; rewrite /past; case: (ltnP b r); case: (ltnP b r'); lia.
rewrite !IH ?(ltnW tp) // first r't {IH followingE sendsE} leqnn ltnn ltnSn.
case: (ltnP u p) => //= up.
have -> : (u == r) = (past p b u == t.+1).
  by rewrite -first /past; case: (ltnP b r); case: (ltnP b u); lia.
by rewrite [_ <= t.+1]leq_eqVlt ltnS; case: eqP => [->|] /=; rewrite ?ltnn ?addn0.
Qed.

Lemma ring_copies_after p (f : nat -> nat) h t r b u : t < p -> r < p -> b < p ->
  (forall r, r < p -> h r r u = f r) -> behind p b r <= t ->
  after_plan h [seq sends p (following p) (fun r b => b == (r + p - k) %% p) false
               | k <- iota 0 t] r b u = f b.
Proof.
move=> tp rp bp own; elim: t r tp rp => [|t IH] r tp rp near.
  have -> : r = b by move: near; rewrite /behind; case: (ltnP r b); lia.
  exact: own.
have [r' [r'p r'E followingE]] := previous rp; rewrite after_rcons.
have sendsE : (b == (r' + p - t) %% p) = (behind p b r == t.+1).
  rewrite mod_once /behind; last lia.
  by case: (ltnP (r' + p - t) p); case: (ltnP r b); lia.
have [first|other] := eqVneq (behind p b r) t.+1; last first.
  rewrite none_sends => [|q qp /eqP]; last by rewrite followingE // => /eqP ->; rewrite sendsE.
  by apply: IH; rewrite ?(ltnW tp) //; lia.
rewrite (@one_sends _ _ _ _ _ _ _ _ r') ?sendsE ?first ?eqxx //; last 2 first.
- by apply/eqP; rewrite followingE.
- by move=> q qp /eqP; rewrite followingE // => /eqP.
apply: IH; rewrite ?(ltnW tp) //.
by move: first; rewrite /behind; case: (ltnP r b); case: (ltnP r' b); lia.
Qed.

Theorem ring_reduce_scatter p r u : r < p ->
  after_plan start_all (ring_sums p) r r u = (u < p).
Proof.
move=> rp; rewrite ring_sums_after //; last lia.
by rewrite /past ltnn; case: (ltnP r u) => ru; case: (ltnP u p) => up; case: leqP => /=; lia.
Qed.

Lemma ring_spreads p (f : nat -> nat) h r b u : r < p -> b < p ->
  (forall r, r < p -> h r r u = f r) -> after_plan h (ring_copies p) r b u = f b.
Proof.
move=> rp bp own; apply: ring_copies_after => //; first lia.
by rewrite /behind; case: (ltnP r b); lia.
Qed.

Theorem ring_allgather p r b u : r < p -> b < p ->
  after_plan start_own (ring_copies p) r b u = (u == b).
Proof.
by move=> rp bp; apply: (@ring_spreads p (fun b => u == b)) => // q _; rewrite /start_own eqxx.
Qed.

(** Claims: collectives.sums. *)
Theorem ring_allreduce p r b u : r < p -> b < p ->
  after_plan start_all (ring_sums p ++ ring_copies p) r b u = (u < p).
Proof.
move=> rp bp; rewrite after_cat; apply: (@ring_spreads p (fun _ => u < p)) => // q qp.
exact: ring_reduce_scatter.
Qed.

(** ** Bits *)

Definition has_bit k x := odd (x %/ 2 ^ k).
Definition agree S x y := all (fun k => has_bit k x == has_bit k y) S.

Lemma partnerE k x : partner k x = if has_bit k x then x - 2 ^ k else x + 2 ^ k.
Proof.
have K0 : 0 < 2 ^ k by rewrite expn_gt0.
rewrite /partner /has_bit expnS; move: (2 ^ k) K0 => K K0.
have lt_r : x %% (2 * K) < 2 * K by rewrite ltn_mod; lia.
suff -> : odd (x %/ K) = (K <= x %% (2 * K)) by case: ltnP.
rewrite {1}(divn_eq x (2 * K)) mulnA divnMDl // oddD muln2 odd_double /=.
case: ltnP => [/divn_small -> //|le_K]; move: (x %% _) le_K lt_r => r le_K lt_r.
rewrite -{1}(subnK le_K) addnC -{1}(mul1n K) divnMDl // divn_small //; lia.
Qed.

Lemma bit_up j k x : ~~ has_bit k x -> has_bit j (x + 2 ^ k) = (j == k) (+) has_bit j x.
Proof.
have K0 i : 0 < 2 ^ i by rewrite expn_gt0.
rewrite /has_bit => even_x; case: (ltngtP j k) => [jk|kj|->].
- by rewrite addnC -(subnK (ltnW jk)) expnD divnMDl // oddD oddX subn_eq0 leqNgt jk.
- have [i ->] : exists i, j = k.+1 + i by exists (j - k.+1); lia.
  rewrite expnD expnSr !divnMA !divn2 -{1}(mul1n (2 ^ k)) addnC divnMDl //.
  by rewrite add1n -[_.+1./2]/(uphalf _) uphalf_half (negbTE even_x).
by rewrite addnC -{1}(mul1n (2 ^ k)) divnMDl // oddD.
Qed.

Lemma bit_le k x : has_bit k x -> 2 ^ k <= x.
Proof. by rewrite leqNgt; apply: contraL => /divn_small; rewrite /has_bit => ->. Qed.

Lemma bit_down j k x : has_bit k x -> has_bit j (x - 2 ^ k) = (j == k) (+) has_bit j x.
Proof.
move=> odd_x; have le_x := bit_le odd_x; rewrite -{2}(subnK le_x) bit_up ?addbA ?addbb //.
have : odd (x %/ 2 ^ k) by [].
by rewrite /has_bit -{1}(subnK le_x) -{2}(mul1n (2 ^ k)) addnC divnMDl ?expn_gt0 // oddD.
Qed.

Lemma bit_partner j k x : has_bit j (partner k x) = (j == k) (+) has_bit j x.
Proof. by rewrite partnerE; case: ifP => [/bit_down|/negbT/bit_up]. Qed.

Lemma partnerK k : involutive (partner k).
Proof.
move=> x; rewrite [LHS]partnerE bit_partner eqxx partnerE.
by case: (boolP (has_bit k x)) => [/bit_le le_x|_] /=; rewrite ?subnK ?addnK.
Qed.

Lemma partner_lt n k x : k < n -> x < 2 ^ n -> partner k x < 2 ^ n.
Proof.
move=> kn xn; have := block_fits kn xn; have := leq_mod x (2 ^ k.+1); rewrite /partner.
have K0 : 0 < 2 ^ k by rewrite expn_gt0.
by case: (ltnP (x %% _)) => r; [lia | move=> _ _; apply: leq_ltn_trans (leq_subr _ _) xn].
Qed.

Lemma bits_inj n x y : x < 2 ^ n -> y < 2 ^ n ->
  (forall k, k < n -> has_bit k x = has_bit k y) -> x = y.
Proof.
elim: n x y => [|n IH] x y xn yn same; first by case: x y xn yn {same} => [|x] [|y].
have /IH half : x./2 < 2 ^ n by move: xn; rewrite expnS; lia.
have x0 := same 0 isT; rewrite /has_bit !divn1 in x0.
rewrite -(odd_double_half x) -(odd_double_half y) x0 (half y./2) // => [|k kn].
  by move: yn; rewrite expnS; lia.
by have := same k.+1 kn; rewrite /has_bit expnS !divnMA !divn2.
Qed.

Lemma agree_all n l x y : perm_eq l (iota 0 n) -> x < 2 ^ n -> y < 2 ^ n -> agree l x y = (x == y).
Proof.
move=> ln xn yn; apply/allP/eqP=> [same|-> //]; apply: (bits_inj xn yn) => k kn.
by apply/eqP/same; rewrite (perm_mem ln) mem_iota.
Qed.

Lemma agree_partner S k x y : k \notin S -> agree S (partner k x) y = agree S x y.
Proof.
move=> kS; apply: eq_in_all => j jS; rewrite bit_partner; case: (j =P k) => // jk.
by rewrite -jk jS in kS.
Qed.

Lemma agreeC S x y : agree S x y = agree S y x.
Proof. by apply: eq_all => k; rewrite eq_sym. Qed.

(** ** Halving and doubling *)

Definition doubling n l := [seq sends (2 ^ n) (partner k) (fun _ _ => true) true | k <- l].
Fixpoint halving n S l := if l is k :: l' then
  sends (2 ^ n) (partner k) (fun r b => agree (k :: S) (partner k r) b) true
  :: halving n (k :: S) l' else [::].
Fixpoint gathering n l := if l is k :: l' then
  sends (2 ^ n) (partner k) (fun r b => agree (k :: l') r b) false :: gathering n l' else [::].

Section Powers.

Variables (n u : nat).
Let summed l r : nat := (u < 2 ^ n) && agree l u r.

(* A step along k adds up those that have has_bit k of r, and those that have not. *)
Lemma summed_both k l r : k \notin l ->
  summed (k :: l) r + summed (k :: l) (partner k r) = summed l r.
Proof.
move=> kl; rewrite /summed /= bit_partner eqxx (agreeC l u (partner k r)) agree_partner // -agreeC.
by case: (u < _); case: (has_bit k u); case: (has_bit k r); case: agree.
Qed.

Lemma doubling_after l h : uniq l -> all (gtn n) l ->
  (forall r b, r < 2 ^ n -> b < 2 ^ n -> h r b u = summed l r) ->
  forall r b, r < 2 ^ n -> b < 2 ^ n -> after_plan h (doubling n l) r b u = (u < 2 ^ n).
Proof.
elim: l h => [|k l IH] h; first by move=> _ _ hE r b rn bn; rewrite /= hE // /summed andbT.
move=> /= /andP[kl ul] /andP[kn ln] hE; apply: IH => // r b rn bn.
rewrite (@one_sends _ _ _ _ _ _ _ _ (partner k r)) ?partner_lt ?partnerK //.
  by rewrite !hE ?partner_lt // summed_both.
by move=> q _ <- _; rewrite partnerK.
Qed.

Lemma halving_after S l h : uniq (l ++ S) -> all (gtn n) l ->
  (forall r b, r < 2 ^ n -> b < 2 ^ n -> agree S r b -> h r b u = summed l r) ->
  forall r, r < 2 ^ n -> after_plan h (halving n S l) r r u = (u < 2 ^ n).
Proof.
have same T r : agree T r r by apply/allP.
elim: l S h => [|k l IH] S h; first by move=> _ _ hE r rn; rewrite /= hE // /summed andbT.
rewrite cat_cons cons_uniq mem_cat negb_or => /andP[/andP[kl kS] uS] /andP[kn ln] hE.
apply: IH => // [|r b rn bn /andP[rbk rbS]].
  by rewrite -cat1s uniq_catCA /= mem_cat negb_or kl kS.
rewrite (@one_sends _ _ _ _ _ _ _ _ (partner k r)) ?partner_lt ?partnerK //.
- by rewrite !hE ?partner_lt ?agree_partner // summed_both.
- by rewrite /= rbk.
by move=> q _ <- _; rewrite partnerK.
Qed.

Lemma gathering_after l h (f : nat -> nat) : uniq l -> all (gtn n) l ->
  (forall r b, r < 2 ^ n -> b < 2 ^ n -> agree l r b -> h r b u = f b) ->
  forall r b, r < 2 ^ n -> b < 2 ^ n -> after_plan h (gathering n l) r b u = f b.
Proof.
elim: l h => [|k l IH] h; first by move=> _ _ hE r b rn bn; rewrite /= hE.
move=> /= /andP[kl ul] /andP[kn ln] hE; apply: IH => // r b rn bn rb.
have [rbk|rbk] := boolP (has_bit k r == has_bit k b).
  rewrite none_sends => [|q _ qr]; first by rewrite hE //= rbk.
  by move: rbk; rewrite -qr bit_partner eqxx /= negb_and; case: (has_bit k q); case: (has_bit k b).
have sent : agree (k :: l) (partner k r) b.
  rewrite /= agree_partner // rb bit_partner eqxx.
  by case: (has_bit k r) (has_bit k b) rbk => [] [].
rewrite (@one_sends _ _ _ _ _ _ _ _ (partner k r)) ?partner_lt ?partnerK //.
  by rewrite hE ?partner_lt.
by move=> q _ <- _; rewrite partnerK.
Qed.

Variables (l l' : seq nat).
Hypotheses (lP : perm_eq l (iota 0 n)) (lP' : perm_eq l' (iota 0 n)).

Lemma order_ok m : perm_eq m (iota 0 n) -> uniq m /\ all (gtn n) m.
Proof.
move=> mP; rewrite (perm_uniq mP) iota_uniq (perm_all _ mP); split=> //.
by apply/allP=> k; rewrite mem_iota.
Qed.

Lemma start_summed r b : r < 2 ^ n -> start_all r b u = summed l r.
Proof.
move=> rn; rewrite /start_all /summed; case: (ltnP u (2 ^ n)) => [un|nu].
  by rewrite (agree_all lP).
by case: (u =P r) => // ur; rewrite -ur ltnNge nu in rn.
Qed.

(** Claims: collectives.sums. *)
Theorem recursive_doubling r b : r < 2 ^ n -> b < 2 ^ n ->
  after_plan start_all (doubling n l) r b u = (u < 2 ^ n).
Proof.
move=> rn bn; have [lu ln] := order_ok lP.
by apply: doubling_after => // q c qn _; apply: start_summed.
Qed.

Theorem halving_reduce_scatter r : r < 2 ^ n ->
  after_plan start_all (halving n [::] l) r r u = (u < 2 ^ n).
Proof.
move=> rn; have [lu ln] := order_ok lP.
by apply: halving_after; rewrite ?cats0 // => q c qn _ _; apply: start_summed.
Qed.

Lemma gathering_spreads h (f : nat -> nat) r b : r < 2 ^ n -> b < 2 ^ n ->
  (forall q, q < 2 ^ n -> h q q u = f q) -> after_plan h (gathering n l') r b u = f b.
Proof.
move=> rn bn own; have [lu ln] := order_ok lP'.
apply: gathering_after => // q c qn cn; rewrite (agree_all lP') // => /eqP <-; exact: own.
Qed.

Theorem doubling_allgather r b : r < 2 ^ n -> b < 2 ^ n ->
  after_plan start_own (gathering n l') r b u = (u == b).
Proof.
move=> rn bn; apply: (@gathering_spreads _ (fun b => u == b)) => // q _.
by rewrite /start_own eqxx.
Qed.

(** Claims: collectives.sums. *)
Theorem halving_doubling r b : r < 2 ^ n -> b < 2 ^ n ->
  after_plan start_all (halving n [::] l ++ gathering n l') r b u = (u < 2 ^ n).
Proof.
move=> rn bn; rewrite after_cat; apply: (@gathering_spreads _ (fun _ => u < 2 ^ n)) => // q qn.
exact: halving_reduce_scatter.
Qed.

End Powers.

(** ** Bruck's allgather *)

Definition bruck p m := [seq sends p (fun r => (r + p - 2 ^ k) %% p)
  (fun r b => (b + p - r) %% p < minn (2 ^ k) (p - 2 ^ k)) false | k <- iota 0 m].

Lemma bruck_after p m r b u : r < p -> b < p -> (b + p - r) %% p < 2 ^ m ->
  after_plan start_own (bruck p m) r b u = (u == b).
Proof.
rewrite /bruck => rp bp; have dE q : q < p -> (b + p - q) %% p = if b < q then b + p - q else b - q.
  by move=> qp; rewrite mod_once; [case: (ltnP b q) => bq; case: ltnP => bp'; lia | lia].
elim: m r rp => [|m IH] r rp; rewrite dE //.
  rewrite expn0 => near; suff -> : r = b by rewrite /= /start_own eqxx.
  by case: (ltnP b r) near; lia.
rewrite after_rcons expnS; have K0 : 0 < 2 ^ m by rewrite expn_gt0.
move: (2 ^ m) K0 IH => K K0 IH near.
pose s := if r + K < p then r + K else r + K - p.
have toE q : q < p -> K < p -> ((q + p - K) %% p == r) = (q == s).
  move=> qp Kp; rewrite mod_once; last lia.
  by rewrite /s; case: (ltnP (q + p - K) p) => ?; case: (ltnP (r + K) p) => ?; lia.
have [le_K|lt_K] := leqP K (if b < r then b + p - r else b - r); last first.
  rewrite none_sends => [|q qp qr]; first by apply: IH; rewrite ?dE.
  apply/negP; rewrite dE //; have [Kp|pK] := ltnP K p; last by lia.
  move/eqP: qr; rewrite toE // => /eqP -> {IH near toE}.
  rewrite /s; case: (ltnP b r) lt_K => ? lt_K; case: (ltnP (r + K) p) => ?;
    by case: (ltnP b) => ?; lia.
have Kp : K < p by case: (ltnP b r) le_K => ? le_K; lia.
have sp : s < p by rewrite /s; case: (ltnP (r + K) p) => ?; lia.
have dS : (b + p - s) %% p = (if b < r then b + p - r else b - r) - K.
  rewrite dE // /s; case: (ltnP b r) le_K near => ? le_K near;
  by case: (ltnP (r + K) p) => ?; case: (ltnP b) => ?; lia.
rewrite (@one_sends _ _ _ _ _ _ _ _ s) //.
- by rewrite IH // dS; lia.
- by apply/eqP; rewrite toE.
- by rewrite dS; case: (ltnP b r) le_K near => ? le_K near; lia.
by move=> q qp /eqP; rewrite toE // => /eqP.
Qed.

(** Claims: collectives.sums. *)
Theorem bruck_allgather p m r b u : p <= 2 ^ m -> r < p -> b < p ->
  after_plan start_own (bruck p m) r b u = (u == b).
Proof.
move=> pm rp bp; apply: bruck_after => //; apply: leq_trans pm.
by rewrite ltn_mod; lia.
Qed.

(** ** Binomial trees *)

Definition tree_up p m := [seq sends p (fun r => r - 2 ^ k)
  (fun r _ => r %% 2 ^ k.+1 == 2 ^ k) true | k <- iota 0 m].
Definition tree_down p m := [seq sends p (fun r => r + 2 ^ k)
  (fun r _ => (r %% 2 ^ k.+1 == 0) && (r + 2 ^ k < p)) false | k <- rev (iota 0 m)].

Lemma tree_up_after p m r b u : r < p -> b < p -> 2 ^ m %| r ->
  after_plan start_all (tree_up p m) r b u = (r <= u < r + 2 ^ m) && (u < p).
Proof.
rewrite /tree_up => + bp; elim: m r => [|m IH] r rp; first by rewrite /= /start_all => _; lia.
have odd_ge s : s %% 2 ^ m.+1 == 2 ^ m -> 2 ^ m <= s by move/eqP=> {1}<-; apply: leq_mod.
rewrite after_rcons => /dvdnP[q rE].
have rm : 2 ^ m %| r by rewrite rE expnS mulnA dvdn_mull.
have odd_s : (r + 2 ^ m) %% 2 ^ m.+1 == 2 ^ m by rewrite rE modnMDl modn_small // ltn_exp2l.
have far : 2 ^ m.+1 = 2 ^ m + 2 ^ m by rewrite expnS mul2n addnn.
have [sp|ps] := ltnP (r + 2 ^ m) p; last first.
  rewrite none_sends => [|s sp sr].
    by rewrite IH // far {IH odd_ge rE rm odd_s far}; move: (2 ^ m) ps => K ps; lia.
  by apply/negP=> /odd_ge le_s; move: sp ps; rewrite -sr subnK // ltnNge => /negbTE ->.
rewrite (@one_sends _ _ _ _ _ _ _ _ (r + 2 ^ m)) ?addnK ?odd_s //.
  rewrite !IH ?dvdn_addl // far addnA {IH odd_ge rE rm odd_s far}; move: (2 ^ m) => K.
  by case: (leqP r u) => ?; case: (ltnP u (r + K)) => ?; lia.
by move=> s _ sr /odd_ge le_s; rewrite -sr subnK.
Qed.

Theorem tree_reduce p m b u : p <= 2 ^ m -> b < p ->
  after_plan start_all (tree_up p m) 0 b u = (u < p).
Proof. by move=> pm bp; rewrite tree_up_after ?dvdn0 //=; lia. Qed.

Lemma tree_down_after p m (f : nat -> nat) h r b u : r < p -> b < p ->
  (forall r, r < p -> 2 ^ m %| r -> h r b u = f b) ->
  after_plan h (tree_down p m) r b u = f b.
Proof.
rewrite /tree_down => + bp; elim: m h r => [|m IH] h r rp hE; first by rewrite /= hE // dvd1n.
have -> : iota 0 m.+1 = rcons (iota 0 m) m by rewrite -addn1 iotaD cats1.
rewrite rev_rcons map_cons; apply: IH => // {rp}r rp /dvdnP[q rE].
have K0 : 0 < 2 ^ m by rewrite expn_gt0.
have [q' qE] : exists q', q = odd q + q' * 2 by exists q./2; rewrite muln2 odd_double_half.
have {qE}rE : r = q' * 2 ^ m.+1 + odd q * 2 ^ m 
  by rewrite rE {1}qE mulnDl -mulnA -expnS addnC.
move: (odd q) rE => [] rE.
  have sE : r - 2 ^ m = q' * 2 ^ m.+1 by rewrite rE mul1n addnK.
  have le_r : 2 ^ m <= r by rewrite rE mul1n leq_addl.
  rewrite (@one_sends _ _ _ _ _ _ _ _ (r - 2 ^ m)) ?subnK //.
  - by rewrite hE ?sE ?dvdn_mull // -sE; lia.
  - by lia.
  - by rewrite sE modnMl rp.
  by move=> s _ <- _; rewrite addnK.
rewrite none_sends => [|s sp sr]; first by rewrite hE // rE addn0 dvdn_mull.
apply/negP=> /andP[/eqP s0 _]; have : r %% 2 ^ m.+1 = 0 by rewrite rE addn0 modnMl.
by rewrite -sr -modnDml s0 add0n modn_small ?ltn_exp2l //; lia.
Qed.

(** Claims: collectives.sums. *)
Theorem tree_allreduce p m r b u : p <= 2 ^ m -> r < p -> b < p ->
  after_plan start_all (tree_up p m ++ tree_down p m) r b u = (u < p).
Proof.
move=> pm rp bp; rewrite after_cat.
apply: (@tree_down_after _ _ (fun _ => u < p)) => // q qp /dvdnP[[|k] qE].
  by rewrite qE mul0n tree_reduce.
by move: qp; rewrite qE mulSn; lia.
Qed.

(** Claims: collectives.sums. *)
Theorem collective_rounds : [/\
  forall p, size (ring_sums p ++ ring_copies p) = 2 * p.-1,
  forall n l, size (doubling n l) = size l,
  forall n l l', size (halving n [::] l ++ gathering n l') = size l + size l',
  forall p m, size (bruck p m) = m &
  forall p m, size (tree_up p m ++ tree_down p m) = 2 * m].
Proof.
have halvingE n S l : size (halving n S l) = size l by elim: l S => //= k l IH S; rewrite IH.
have gatheringE n l : size (gathering n l) = size l by elim: l => //= k l ->.
split=> *; rewrite ?size_cat ?halvingE ?gatheringE ?size_map ?size_rev ?size_iota //.
  by rewrite mul2n addnn.
by rewrite mul2n addnn.
Qed.
