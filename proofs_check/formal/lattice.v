(* The bit-correction lattice: where messages are, and how many share a node or a channel.

   Messages have a source and a destination each (`src`, `dst`); any set of messages will do. After
   the bits in S have been corrected, a message stands at the node p_S that has the destination's
   bits in S and the source's elsewhere (`place`); correcting the bits of an order one after another
   visits just these nodes (`route_place`). Bits of a set Z may be inside a router: then messages
   are at one router if their places agree outside Z.

   A gather sends from x to A x + b, a scatter from A y + b to y. Two messages of a gather at one
   router after S differ by a vector of `ker A (S - Z) (S + Z)`, two on one channel of dimension j
   by one of `ker A (j + S - Z) (S + Z)`, and every such vector occurs. So each router and channel
   that is used at all carries the size of a kernel, which is 2^(columns - rank).

   place S m == p_S: the destination's bits in S, the source's elsewhere
   same_router Z u v == u and v agree at every bit outside Z
   moves_in j m == source and destination of message m differ at bit j
   held Z S u == the messages in the router of node u after the bits in S
   carried Z S j u == those of them that bit j moves: on one channel of dimension j
   occupancy Z S == the largest number of messages in a router after S
   load Z S j == the largest number of messages on a channel of dimension j after S
   correct m v j == node v with bit j of m's destination
   route m order == the nodes that m visits, correcting one bit of the order after another
   image A b x == A x + b
   gather_load A b Z S j == the load where x sends to A x + b
   gather_occupancy A b Z S == the occupancy where x sends to A x + b
   scatter_load A b Z S j == the load where A x + b sends to x
   scatter_occupancy A b Z S == the occupancy where A x + b sends to x
   moves A b j == bit j of A x + b is not that of x for some x *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From lcc Require Import kernel.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(** ** Messages on a network of bits *)

Section Messages.

Variables (n : nat) (M : finType) (src dst : M -> vec n).
Implicit Types (Z S : bits n) (j : 'I_n) (u : vec n) (m : M).

Definition place S m : vec n := \col_i (if i \in S then dst m i 0 else src m i 0).

(* At one router: the bits in Z name the processors of a router. *)
Definition same_router Z (u v : vec n) := [forall i, (i \notin Z) ==> (u i 0 == v i 0)].

Definition moves_in j m := src m j 0 != dst m j 0.

Definition held Z S u := [set m | same_router Z (place S m) u].

Definition carried Z S j u := [set m in held Z S u | moves_in j m].

Definition occupancy Z S := \max_(u : vec n) #|held Z S u|.

Definition load Z S j := \max_(u : vec n) #|carried Z S j u|.

(* The route, hop by hop: correct one bit of where the message is. *)
Definition correct m (v : vec n) j : vec n := \col_i (if i == j then dst m i 0 else v i 0).

Definition route m (order : seq 'I_n) : seq (vec n) := scanl (correct m) (src m) order.

Lemma place0 m : place set0 m = src m.
Proof. by apply/matrixP=> i k; rewrite mxE inE (ord1 k). Qed.

Lemma placeT m : place setT m = dst m.
Proof. by apply/matrixP=> i k; rewrite mxE inE (ord1 k). Qed.

Lemma correct_place m S j : correct m (place S m) j = place (j |: S) m.
Proof. by apply/matrixP=> i k; rewrite !mxE !inE; case: eqP. Qed.

Lemma foldl_correct m s S : foldl (correct m) (place S m) s = place (S :|: [set x in s]) m.
Proof.
elim: s S => [|j s IH] S /=; first by congr place; apply/setP=> i; rewrite !inE orbF.
by rewrite correct_place IH; congr place; apply/setP=> i; rewrite !inE orbCA orbA.
Qed.

(* After k hops the message is where the first k bits of the order have been corrected. *)
Theorem route_place m order k : (k < size order)%N ->
  nth 0 (route m order) k = place [set x in take k.+1 order] m.
Proof.
move=> k_lt; rewrite /route nth_scanl // -[src m]place0 foldl_correct; congr place.
by rewrite set0U.
Qed.

Lemma same_routerP Z u (v : vec n) :
  reflect (forall i, i \notin Z -> u i 0 = v i 0) (same_router Z u v).
Proof.
apply: (iffP forallP) => uv i; last by apply/implyP=> /uv ->.
by move=> iZ; apply/eqP/(implyP (uv i)).
Qed.

Lemma same_router_refl Z u : same_router Z u u. Proof. exact/same_routerP. Qed.

End Messages.

(** ** Gathers and scatters *)

Section Affine.

Variables (n : nat) (A : 'M['F_2]_n) (b : vec n).
Implicit Types (Z S : bits n) (j : 'I_n) (u x y : vec n).

Definition image x : vec n := A *m x + b.

Definition gather_load := load (M := [finType of vec n]) id image.
Definition gather_occupancy := occupancy (M := [finType of vec n]) id image.
Definition scatter_load := load (M := [finType of vec n]) image id.
Definition scatter_occupancy := occupancy (M := [finType of vec n]) image id.

(* Some message changes bit j. *)
Definition moves j := [exists x : vec n, x j 0 != image x j 0].

Lemma image_bit x i : image x i 0 = (A *m x) i 0 + b i 0. Proof. by rewrite mxE. Qed.

Lemma image_diff x y i : image (x + y) i 0 = (A *m x) i 0 + image y i 0.
Proof. by rewrite !image_bit row_additive addrA. Qed.

(* A set that holds y, and d + y just for the d of K, is as large as K. *)
Lemma card_coset (K E : {set vec n}) y :
  (forall d, (d + y \in E) = (d \in K)) -> #|E| = #|K|.
Proof.
move=> KE; rewrite -(card_imset (mem K) (@addIr _ y)); apply: eq_card => x.
apply/idP/imsetP=> [xE|[d dK ->]]; last by rewrite KE.
by exists (x + y); rewrite ?vec_addK // -KE vec_addK.
Qed.

Lemma same_router_diff Z u v w :
  same_router Z v u -> same_router Z (w + v) u = [forall i, (i \notin Z) ==> (w i 0 == 0)].
Proof.
move=> /same_routerP vu; apply: eq_forallb => i; have [//|iZ /=] := boolP (i \in Z).
by rewrite mxE vu // -{2}[u i 0]add0r (inj_eq (addIr _)).
Qed.

(* How the places of d + y and of y differ. *)
Lemma gather_place_diff S d y :
  place id image S (d + y) = place id (mulmx A) S d + place id image S y.
Proof.
apply/matrixP=> i k; rewrite [LHS]mxE [RHS]mxE [place _ _ _ d _ _]mxE [place _ _ _ y _ _]mxE.
by case: ifP => _; rewrite ?image_diff // mxE.
Qed.

Lemma scatter_place_diff S d y :
  place image id S (d + y) = place (mulmx A) id S d + place image id S y.
Proof.
apply/matrixP=> i k; rewrite [LHS]mxE [RHS]mxE [place _ _ _ d _ _]mxE [place _ _ _ y _ _]mxE.
by case: ifP => _; rewrite ?image_diff // mxE.
Qed.

Lemma gather_place_ker Z S d :
  [forall i, (i \notin Z) ==> (place id (mulmx A) S d i 0 == 0)]
  = (d \in ker A (S :\: Z) (S :|: Z)).
Proof.
apply/forallP/kerP=> [d0|[dC dR] i].
  split=> i; rewrite !inE ?negb_or => /andP[].
    by move=> /negPf iS iZ; move: (d0 i); rewrite iZ mxE iS => /eqP.
  by move=> iZ iS; move: (d0 i); rewrite iZ [place _ _ _ _ _ _]mxE iS => /eqP.
apply/implyP=> iZ; rewrite [place _ _ _ _ _ _]mxE; apply/eqP; case: ifP => iS.
  by apply: dR; rewrite inE iZ iS.
by apply: dC; rewrite inE negb_or iZ iS.
Qed.

Lemma scatter_place_ker Z S d :
  [forall i, (i \notin Z) ==> (place (mulmx A) id S d i 0 == 0)]
  = (d \in ker A (~: S :\: Z) (~: S :|: Z)).
Proof.
rewrite -gather_place_ker; apply: eq_forallb => i; congr (_ ==> (_ == _)).
by rewrite [LHS]mxE [RHS]mxE inE; case: (i \in S).
Qed.

(* In a router that holds any there are as many messages as vectors in the kernel. *)
(** Claims: lattice.occupancy, lattice.occupancy.bristled. *)
Theorem gather_held Z S u y : y \in held id image Z S u ->
  #|held id image Z S u| = #|ker A (S :\: Z) (S :|: Z)|.
Proof.
rewrite inE => yu; apply: (@card_coset _ _ y) => d.
by rewrite inE gather_place_diff (same_router_diff _ yu) gather_place_ker.
Qed.

(** Claims: lattice.occupancy.scatter. *)
Theorem scatter_held Z S u y : y \in held image id Z S u ->
  #|held image id Z S u| = #|ker A (~: S :\: Z) (~: S :|: Z)|.
Proof.
rewrite inE => yu; apply: (@card_coset _ _ y) => d.
by rewrite inE scatter_place_diff (same_router_diff _ yu) scatter_place_ker.
Qed.

(* On a channel of dimension j: bit j is as in y, and moves as in y. *)
Lemma moves_diff j (d y : vec n) : d j 0 = 0 -> y j 0 != image y j 0 ->
  ((d + y) j 0 != image (d + y) j 0) = ((A *m d) j 0 == 0).
Proof.
move=> dj; rewrite image_diff [(d + y) j 0]mxE dj add0r.
by case: (y j 0) (image y j 0) ((A *m d) j 0) => [[|[|y']] yP] [[|[|z]] zP] [[|[|c]] cP].
Qed.

Lemma moves_diff_scatter j (d y : vec n) : (A *m d) j 0 = 0 -> image y j 0 != y j 0 ->
  (image (d + y) j 0 != (d + y) j 0) = (d j 0 == 0).
Proof.
move=> dj; rewrite image_diff [(d + y) j 0]mxE dj add0r.
by case: (y j 0) (image y j 0) (d j 0) => [[|[|y']] yP] [[|[|z]] zP] [[|[|c]] cP].
Qed.

(* On a channel that carries any there are as many messages as vectors in the kernel. *)
(** Claims: lattice.load, lattice.load.bristled, lattice.load.internal. *)
Theorem gather_carried Z S j u y : j \notin S -> j \notin Z -> y \in carried id image Z S j u ->
  #|carried id image Z S j u| = #|ker A (j |: S :\: Z) (S :|: Z)|.
Proof.
move=> jS jZ; rewrite !inE /moves_in => /andP[yu my]; apply: (@card_coset _ _ y) => d.
rewrite inE [d + y \in held _ _ _ _ _]inE gather_place_diff (same_router_diff _ yu)
  gather_place_ker.
rewrite ker_addrow [RHS]inE; have [dK /=|//] := boolP (d \in ker _ _ _);
  rewrite /moves_in moves_diff //.
by case/kerP: dK => dC _; rewrite dC // inE negb_or jS jZ.
Qed.

(** Claims: lattice.load.scatter, lattice.load.scatter.internal. *)
Theorem scatter_carried Z S j u y : j \notin S -> j \notin Z -> y \in carried image id Z S j u ->
  #|carried image id Z S j u| = #|ker A (~: S :\: Z) ((~: S :|: Z) :\ j)|.
Proof.
move=> jS jZ; rewrite !inE /moves_in => /andP[yu my]; apply: (@card_coset _ _ y) => d.
rewrite inE [d + y \in held _ _ _ _ _]inE scatter_place_diff (same_router_diff _ yu)
  scatter_place_ker.
rewrite ker_delcol [RHS]inE; have [dK /=|//] := boolP (d \in ker _ _ _);
  rewrite /moves_in moves_diff_scatter //.
by case/kerP: dK => _ dR; rewrite dR // !inE jS jZ.
Qed.

(** ** Occupancy and load as ranks *)

Lemma load_const (M : finType) (src dst : M -> vec n) Z S j N :
  (forall u (m : M), m \in carried src dst Z S j u -> #|carried src dst Z S j u| = N) ->
  load src dst Z S j = if [exists m, moves_in src dst j m] then N else 0%N.
Proof.
move=> cN; rewrite /load (@max_const _ _ N) => [|u /card_gt0P[m]]; last exact: cN.
congr (if _ then _ else _); apply/existsP/existsP=> [[u /card_gt0P[m]]|[m mj]].
  by rewrite inE => /andP[_ mj]; exists m.
by exists (place src dst S m); apply/card_gt0P; exists m; rewrite !inE same_router_refl.
Qed.

Lemma gather_load_ker Z S j : j \notin S -> j \notin Z ->
  gather_load Z S j = if moves j then #|ker A (j |: S :\: Z) (S :|: Z)| else 0%N.
Proof. by move=> jS jZ; apply: load_const => u y; apply: gather_carried. Qed.

Lemma scatter_load_ker Z S j : j \notin S -> j \notin Z ->
  scatter_load Z S j = if moves j then #|ker A (~: S :\: Z) ((~: S :|: Z) :\ j)| else 0%N.
Proof.
move=> jS jZ; rewrite /scatter_load (@load_const _ _ _ _ _ _ _ (fun u y => scatter_carried jS jZ)).
by congr (if _ then _ else _); apply: eq_existsb => x; rewrite /moves_in eq_sym.
Qed.

(** Claims: lattice.load, lattice.load.bristled, lattice.load.internal. *)
Theorem gather_loadE Z S j : j \notin S -> j \notin Z ->
  gather_load Z S j =
  if moves j then (2 ^ (#|S :|: Z| - \rank (minor A (j |: S :\: Z) (S :|: Z))))%N else 0%N.
Proof. by move=> jS jZ; rewrite gather_load_ker // card_ker. Qed.

(** Claims: lattice.load.scatter, lattice.load.scatter.internal. *)
Theorem scatter_loadE Z S j : j \notin S -> j \notin Z ->
  scatter_load Z S j =
  if moves j
  then (2 ^ (#|(~: S :|: Z) :\ j| - \rank (minor A (~: S :\: Z) ((~: S :|: Z) :\ j))))%N
  else 0%N.
Proof. by move=> jS jZ; rewrite scatter_load_ker // card_ker. Qed.

(* A scatter is its gather sent back: its load is the gather's at the complement. *)
Theorem scatter_load_complement Z S j : j \notin S -> j \notin Z ->
  scatter_load Z S j = gather_load Z (~: (j |: S)) j.
Proof.
move=> jS jZ; rewrite scatter_load_ker // gather_load_ker ?inE ?eqxx //.
congr (if _ then #|pred_of_set (ker A _ _)| else _); apply/setP=> i; rewrite !inE.
  by case: eqP => [->|]; rewrite ?jS ?jZ.
by case: eqP => [->|]; rewrite ?(negPf jS) ?(negPf jZ).
Qed.

Lemma held_nonempty (M : finType) (src dst : M -> vec n) Z S m :
  m \in held src dst Z S (place src dst S m).
Proof. by rewrite inE same_router_refl. Qed.

(** Claims: lattice.occupancy, lattice.occupancy.bristled. *)
Theorem gather_occupancyE Z S :
  gather_occupancy Z S = (2 ^ (#|S :|: Z| - \rank (minor A (S :\: Z) (S :|: Z))))%N.
Proof.
rewrite -card_ker /gather_occupancy /occupancy (@max_const _ _ #|ker A (S :\: Z) (S :|: Z)|).
  case: existsP => // -[]; exists (place id image S 0).
  by apply/card_gt0P; exists 0; apply: held_nonempty.
by move=> u /card_gt0P[y]; apply: gather_held.
Qed.

(** Claims: lattice.occupancy.scatter. *)
Theorem scatter_occupancyE Z S :
  scatter_occupancy Z S = (2 ^ (#|~: S :|: Z| - \rank (minor A (~: S :\: Z) (~: S :|: Z))))%N.
Proof.
rewrite -card_ker /scatter_occupancy /occupancy (@max_const _ _ #|ker A (~: S :\: Z) (~: S :|: Z)|).
  case: existsP => // -[]; exists (place image id S 0).
  by apply/card_gt0P; exists 0; apply: held_nonempty.
by move=> u /card_gt0P[y]; apply: scatter_held.
Qed.

(* A bit stays as it is in every message just when its row is a unit row and b is 0 there. *)
Lemma still_vector j : ~~ moves j -> b j 0 = 0.
Proof.
by move=> /existsPn/(_ 0); rewrite negbK image_bit mulmx0 !mxE add0r => /eqP <-.
Qed.

Lemma still_row j x : ~~ moves j -> (A *m x) j 0 = x j 0.
Proof.
move=> still; have := still_vector still; move: still => /existsPn/(_ x).
by rewrite negbK image_bit => /eqP -> ->; rewrite addr0.
Qed.

End Affine.

(* Without internal bits. *)
Lemma gather_load0 n (A : 'M['F_2]_n) b (S : bits n) j : j \notin S ->
  gather_load A b set0 S j = if moves A b j then #|ker A (j |: S) S| else 0%N.
Proof. by move=> jS; rewrite gather_load_ker ?inE // setD0 setU0. Qed.
