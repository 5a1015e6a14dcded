type __ = Obj.t
let __ = let rec f _ = Obj.repr f in Obj.repr f

(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type nat =
| O
| S of nat



(** val pred : nat -> nat **)

let pred n = match n with
| O -> n
| S u -> u

(** val sub : nat -> nat -> nat **)

let rec sub n m =
  match n with
  | O -> n
  | S k -> (match m with
            | O -> n
            | S l -> sub k l)

type reflect =
| ReflectT
| ReflectF

module Option =
 struct
  (** val apply : ('a1 -> 'a2) -> 'a2 -> 'a1 option -> 'a2 **)

  let apply f x = function
  | Some y -> f y
  | None -> x

  (** val bind : ('a1 -> 'a2 option) -> 'a1 option -> 'a2 option **)

  let bind f =
    apply f None
 end

type ('aT, 'rT) simpl_fun =
  'aT -> 'rT
  (* singleton inductive, whose constructor was SimplFun *)

(** val fun_of_simpl : ('a1, 'a2) simpl_fun -> 'a1 -> 'a2 **)

let fun_of_simpl f =
  f

(** val addb : bool -> bool -> bool **)

let addb = function
| true -> negb
| false -> (fun x -> x)

(** val iffP : bool -> reflect -> reflect **)

let iffP _ pb =
  let _evar_0_ = fun _ _ _ -> ReflectT in
  let _evar_0_0 = fun _ _ _ -> ReflectF in
  (match pb with
   | ReflectT -> _evar_0_ __ __ __
   | ReflectF -> _evar_0_0 __ __ __)

(** val idP : bool -> reflect **)

let idP = function
| true -> ReflectT
| false -> ReflectF

type 't pred0 = 't -> bool

type 't simpl_pred = ('t, bool) simpl_fun

(** val simplPred : 'a1 pred0 -> 'a1 simpl_pred **)

let simplPred p =
  p

module PredOfSimpl =
 struct
  (** val coerce : 'a1 simpl_pred -> 'a1 pred0 **)

  let coerce =
    fun_of_simpl
 end

type 't rel = 't -> 't pred0

type 't simpl_rel = 't -> 't simpl_pred

(** val simplRel : 'a1 rel -> 'a1 simpl_rel **)

let simplRel r x =
  simplPred (r x)

module Equality =
 struct
  type 't axiom = 't -> 't -> reflect

  type 't mixin_of = { op : 't rel; mixin_of__1 : 't axiom }

  (** val op : 'a1 mixin_of -> 'a1 rel **)

  let op m =
    m.op

  type coq_type =
    __ mixin_of
    (* singleton inductive, whose constructor was Pack *)

  type sort = __

  (** val coq_class : coq_type -> sort mixin_of **)

  let coq_class cT =
    cT
 end

(** val eq_op : Equality.coq_type -> Equality.sort rel **)

let eq_op t =
  (Equality.coq_class t).Equality.op

(** val eqP : Equality.coq_type -> Equality.sort Equality.axiom **)

let eqP t =
  let _evar_0_ = fun _ a -> a in
  let { Equality.op = op0; Equality.mixin_of__1 = a } = t in _evar_0_ op0 a

(** val eqb : bool -> bool -> bool **)

let eqb b =
  addb (negb b)

(** val eqbP : bool Equality.axiom **)

let eqbP __top_assumption_ =
  let _evar_0_ = fun __top_assumption_0 ->
    let _evar_0_ = ReflectT in
    let _evar_0_0 = ReflectF in
    if __top_assumption_0 then _evar_0_ else _evar_0_0
  in
  let _evar_0_0 = fun __top_assumption_0 ->
    let _evar_0_0 = ReflectF in
    let _evar_0_1 = ReflectT in
    if __top_assumption_0 then _evar_0_0 else _evar_0_1
  in
  if __top_assumption_ then _evar_0_ else _evar_0_0

(** val bool_eqMixin : bool Equality.mixin_of **)

let bool_eqMixin =
  { Equality.op = eqb; Equality.mixin_of__1 = eqbP }

(** val bool_eqType : Equality.coq_type **)

let bool_eqType =
  Obj.magic bool_eqMixin

(** val eqn : nat -> nat -> bool **)

let rec eqn m n =
  match m with
  | O -> (match n with
          | O -> true
          | S _ -> false)
  | S m' -> (match n with
             | O -> false
             | S n' -> eqn m' n')

(** val eqnP : nat Equality.axiom **)

let eqnP n m =
  iffP (eqn n m) (idP (eqn n m))

(** val nat_eqMixin : nat Equality.mixin_of **)

let nat_eqMixin =
  { Equality.op = eqn; Equality.mixin_of__1 = eqnP }

(** val nat_eqType : Equality.coq_type **)

let nat_eqType =
  Obj.magic nat_eqMixin

(** val subn_rec : nat -> nat -> nat **)

let subn_rec =
  sub

(** val subn : nat -> nat -> nat **)

let subn =
  subn_rec

(** val leq : nat -> nat -> bool **)

let leq m n =
  eq_op nat_eqType (Obj.magic subn m n) (Obj.magic O)

(** val gtn : nat simpl_rel **)

let gtn =
  simplRel (fun m n -> leq (S n) m)

(** val iter : nat -> ('a1 -> 'a1) -> 'a1 -> 'a1 **)

let rec iter n f x =
  match n with
  | O -> x
  | S i -> f (iter i f x)

(** val ncons : nat -> 'a1 -> 'a1 list -> 'a1 list **)

let ncons n x =
  iter n (fun x0 -> x :: x0)

(** val nseq : nat -> 'a1 -> 'a1 list **)

let nseq n x =
  ncons n x []

(** val nth : 'a1 -> 'a1 list -> nat -> 'a1 **)

let rec nth x0 s n =
  match s with
  | [] -> x0
  | x :: s' -> (match n with
                | O -> x
                | S n' -> nth x0 s' n')

(** val find : 'a1 pred0 -> 'a1 list -> nat **)

let rec find a = function
| [] -> O
| x :: s' -> if a x then O else S (find a s')

(** val has : 'a1 pred0 -> 'a1 list -> bool **)

let rec has a = function
| [] -> false
| x :: s' -> (||) (a x) (has a s')

(** val all : 'a1 pred0 -> 'a1 list -> bool **)

let rec all a = function
| [] -> true
| x :: s' -> (&&) (a x) (all a s')

(** val eqseq :
    Equality.coq_type -> Equality.sort list -> Equality.sort list -> bool **)

let rec eqseq t s1 s2 =
  match s1 with
  | [] -> (match s2 with
           | [] -> true
           | _ :: _ -> false)
  | x1 :: s1' ->
    (match s2 with
     | [] -> false
     | x2 :: s2' -> (&&) (eq_op t x1 x2) (eqseq t s1' s2'))

(** val eqseqP : Equality.coq_type -> Equality.sort list Equality.axiom **)

let eqseqP t _top_assumption_ =
  let _evar_0_ = fun __top_assumption_ ->
    let _evar_0_ = ReflectT in
    let _evar_0_0 = fun _ _ -> ReflectF in
    (match __top_assumption_ with
     | [] -> _evar_0_
     | a :: l -> _evar_0_0 a l)
  in
  let _evar_0_0 = fun x1 s1 iHs __top_assumption_ ->
    let _evar_0_0 = ReflectF in
    let _evar_0_1 = fun x2 s2 ->
      let __top_assumption_0 = eqP t x1 x2 in
      let _evar_0_1 = fun _ -> iffP (eqseq t s1 s2) (iHs s2) in
      let _evar_0_2 = fun _ -> ReflectF in
      (match __top_assumption_0 with
       | ReflectT -> _evar_0_1 __
       | ReflectF -> _evar_0_2 __)
    in
    (match __top_assumption_ with
     | [] -> _evar_0_0
     | a :: l -> _evar_0_1 a l)
  in
  let rec f = function
  | [] -> _evar_0_
  | y :: l0 -> _evar_0_0 y l0 (f l0)
  in f _top_assumption_

(** val seq_eqMixin :
    Equality.coq_type -> Equality.sort list Equality.mixin_of **)

let seq_eqMixin t =
  { Equality.op = (eqseq t); Equality.mixin_of__1 = (eqseqP t) }

(** val seq_eqType : Equality.coq_type -> Equality.coq_type **)

let seq_eqType t =
  Obj.magic seq_eqMixin t

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| x :: s' -> (f x) :: (map f s')

(** val iota : nat -> nat -> nat list **)

let rec iota m = function
| O -> []
| S n' -> m :: (iota (S m) n')

(** val mkseq : (nat -> 'a1) -> nat -> 'a1 list **)

let mkseq f n =
  map f (iota O n)

(** val foldr : ('a1 -> 'a2 -> 'a2) -> 'a2 -> 'a1 list -> 'a2 **)

let rec foldr f z0 = function
| [] -> z0
| x :: s' -> f x (foldr f z0 s')

(** val foldl : ('a2 -> 'a1 -> 'a2) -> 'a2 -> 'a1 list -> 'a2 **)

let rec foldl f z = function
| [] -> z
| x :: s' -> foldl f (f z x) s'

(** val run_row : nat -> bool list -> bool list -> bool **)

let run_row n r x =
  foldr (fun j a -> addb ((&&) (nth false r j) (nth false x j)) a) false
    (iota O n)

(** val run_image :
    nat -> bool list list -> bool list -> bool list -> nat -> bool **)

let run_image n a b x i =
  addb (run_row n (nth [] a i) x) (nth false b i)

type lists_of_bits = { lD : bool list list; lV : bool list list;
                       lQ : bool list list; ld : bool list; lR : bool list }

(** val entry : bool list list -> nat -> nat -> bool **)

let entry m r c =
  nth false (nth [] m r) c

(** val exchanged : Equality.sort -> Equality.sort -> Equality.sort -> nat **)

let exchanged p q r =
  if eq_op nat_eqType r p
  then Obj.magic q
  else if eq_op nat_eqType r q then Obj.magic p else Obj.magic r

(** val rows_exchanged :
    nat -> Equality.sort -> Equality.sort -> bool list list -> bool list list **)

let rows_exchanged n p q m =
  mkseq (fun r -> nth [] m (exchanged p q (Obj.magic r))) n

(** val both_exchanged :
    nat -> Equality.sort -> Equality.sort -> bool list list -> bool list list **)

let both_exchanged n p q m =
  mkseq (fun r ->
    mkseq (fun c ->
      entry m (exchanged p q (Obj.magic r)) (exchanged p q (Obj.magic c))) n)
    n

(** val bits_exchanged :
    nat -> Equality.sort -> Equality.sort -> bool list -> bool list **)

let bits_exchanged n p q v =
  mkseq (fun r -> nth false v (exchanged p q (Obj.magic r))) n

(** val run_search : nat -> nat -> lists_of_bits -> nat **)

let run_search n i s =
  find (fun j -> (&&) (entry s.lV j i) (negb (nth false s.lR j))) (iota O n)

(** val run_settle :
    nat -> nat -> nat -> lists_of_bits -> lists_of_bits * nat **)

let run_settle n i j s =
  if leq (S (S i)) j
  then ({ lD = (both_exchanged n (Obj.magic (S i)) (Obj.magic j) s.lD); lV =
         (both_exchanged n (Obj.magic (S i)) (Obj.magic j) s.lV); lQ =
         (rows_exchanged n (Obj.magic (S i)) (Obj.magic j) s.lQ); ld =
         (bits_exchanged n (Obj.magic (S i)) (Obj.magic j) s.ld); lR =
         (bits_exchanged n (Obj.magic (S i)) (Obj.magic j) s.lR) }, (S i))
  else (s, j)

(** val run_reduce :
    nat -> nat -> Equality.sort -> lists_of_bits -> Equality.sort ->
    lists_of_bits **)

let run_reduce n c j s k =
  if (&&) (negb (eq_op nat_eqType k j)) (entry s.lV (Obj.magic k) c)
  then { lD = s.lD; lV =
         (mkseq (fun r ->
           mkseq (fun x ->
             if eq_op nat_eqType (Obj.magic r) k
             then addb (entry s.lV r x) (entry s.lV (Obj.magic j) x)
             else entry s.lV r x) n) n); lQ = s.lQ; ld = s.ld; lR = s.lR }
  else s

(** val run_mark : nat -> Equality.sort -> lists_of_bits -> lists_of_bits **)

let run_mark n j s =
  { lD = s.lD; lV = s.lV; lQ = s.lQ; ld = s.ld; lR =
    (mkseq (fun r ->
      (||) (eq_op nat_eqType (Obj.magic r) j) (nth false s.lR r)) n) }

(** val run_iteration :
    nat -> nat -> lists_of_bits -> lists_of_bits option **)

let run_iteration n i s =
  let j = run_search n i s in
  if leq (S j) n
  then let (s', j') = run_settle n i j s in
       Some
       (run_mark n (Obj.magic j')
         (foldl (Obj.magic run_reduce n i j') s' (iota O n)))
  else None

(** val run_start : nat -> bool list list -> bool list -> lists_of_bits **)

let run_start n a b =
  { lD = a; lV = a; lQ =
    (mkseq (fun r ->
      mkseq (fun c -> eq_op nat_eqType (Obj.magic r) (Obj.magic c)) n) n);
    ld = b; lR = (nseq n false) }

(** val run_lcp_optimizer :
    nat -> bool list list -> bool list -> lists_of_bits option **)

let run_lcp_optimizer n a b =
  foldl (fun found i -> Option.bind (run_iteration n i) found) (Some
    (run_start n a b)) (iota O (pred n))

(** val run_dot :
    nat -> bool list list -> bool list list -> nat -> nat -> bool **)

let run_dot k a b i j =
  foldr (fun p s -> addb ((&&) (entry a i p) (entry b p j)) s) false
    (iota O k)

(** val run_times :
    nat -> nat -> nat -> bool list list -> bool list list -> bool list list **)

let run_times m k n a b =
  mkseq (fun i -> mkseq (fun j -> run_dot k a b i j) n) m

(** val run_unit : nat -> bool list list **)

let run_unit n =
  mkseq (fun i ->
    mkseq (fun j -> eq_op nat_eqType (Obj.magic i) (Obj.magic j)) n) n

(** val run_equal : nat -> nat -> bool list list -> bool list list -> bool **)

let run_equal m n a b =
  all (fun i ->
    all (fun j ->
      eq_op bool_eqType (Obj.magic entry a i j) (Obj.magic entry b i j))
      (iota O n)) (iota O m)

(** val run_within : nat -> nat pred0 -> bool list list -> bool **)

let run_within n rows a =
  all (fun i -> all (fun j -> (||) (rows i) (negb (entry a i j))) (iota O n))
    (iota O n)

(** val run_across : nat -> nat pred0 -> bool list list -> bool **)

let run_across n columns a =
  all (fun i ->
    all (fun j -> (||) (columns j) (negb (entry a i j))) (iota O n))
    (iota O n)

(** val run_still : nat -> bool list list -> bool list -> nat -> bool **)

let run_still n a b i =
  (&&)
    (all (fun j ->
      eq_op bool_eqType (Obj.magic entry a i j)
        (Obj.magic eq_op nat_eqType i j)) (iota O n)) (negb (nth false b i))

(** val run_rank_ge :
    nat -> bool list list -> nat pred0 -> nat pred0 -> nat -> bool list list
    -> bool list list -> bool **)

let run_rank_ge n a rows columns k l r =
  (&&) (leq k n)
    ((&&) (run_across n rows l)
      ((&&) (run_within n columns r)
        (run_equal k k (run_times k n k (run_times k n n l a) r) (run_unit k))))

(** val run_step :
    nat -> nat -> bool -> bool list list -> bool list -> nat -> (bool list
    list * bool list list) option -> bool **)

let run_step n e scatter a b i = function
| Some y ->
  let (l, r) = y in
  if scatter
  then run_rank_ge n a (leq i) (leq (S i)) (subn (subn (pred n) i) e) l r
  else run_rank_ge n a (PredOfSimpl.coerce (gtn (S i)))
         (PredOfSimpl.coerce (gtn i)) (subn i e) l r
| None -> run_still n a b i

(** val run_lower :
    nat -> nat -> bool list list -> bool list -> bool list list -> bool list
    list -> bool **)

let run_lower n e a b u w =
  match e with
  | O -> negb (all (run_still n a b) (iota O n))
  | S _ ->
    (&&) (leq (S e) n) (run_equal n n (run_times n (subn (pred n) e) n u w) a)

(** val run_check :
    nat -> nat -> bool -> bool list list -> bool list -> bool list list ->
    bool list list -> (bool list list * bool list list) option list -> bool
    list list -> bool list list -> bool **)

let run_check n e scatter a b q qi steps u w =
  let b0 = run_times n n n (run_times n n n q a) qi in
  let c = mkseq (fun i -> run_row n (nth [] q i) b) n in
  (&&) (run_equal n n (run_times n n n q qi) (run_unit n))
    ((&&)
      (all (fun i -> run_step n e scatter b0 c i (nth None steps i))
        (iota O n)) (run_lower n e a b u w))

(** val run_origin_step :
    nat -> nat -> bool -> bool list list -> bool list -> nat -> (bool list
    list * bool list list) option -> bool **)

let run_origin_step n e scatter a b i = function
| Some y ->
  let (l, r) = y in
  if scatter
  then run_rank_ge n a (leq i) (fun c ->
         (||) (eq_op nat_eqType (Obj.magic c) (Obj.magic O)) (leq (S i) c))
         (subn (subn n i) e) l r
  else run_rank_ge n a (fun r0 -> (&&) (leq (S O) r0) (leq r0 i))
         (PredOfSimpl.coerce (gtn i)) (subn i e) l r
| None -> run_still n a b i

(** val run_displacement :
    nat -> bool list list -> bool list -> bool list -> bool list **)

let run_displacement n a b x =
  mkseq (fun i -> addb (run_image n a b x i) (nth false x i)) n

(** val run_origin_lower :
    nat -> nat -> bool list list -> bool list -> bool list list -> bool list
    list -> bool list -> bool list -> bool **)

let run_origin_lower n e a b u w x y =
  match e with
  | O ->
    (&&) (has (fun x0 -> x0) (run_displacement n a b x))
      ((&&) (has (fun x0 -> x0) (run_displacement n a b y))
        (negb
          (eq_op (seq_eqType bool_eqType)
            (Obj.magic run_displacement n a b x)
            (Obj.magic run_displacement n a b y))))
  | S _ ->
    (&&) (leq (S e) n) (run_equal n n (run_times n (subn (pred n) e) n u w) a)

(** val run_check_origin :
    nat -> nat -> bool -> bool list list -> bool list -> bool list list ->
    bool list list -> (bool list list * bool list list) option list -> bool
    list list -> bool list list -> bool list -> bool list -> bool **)

let run_check_origin n e scatter a b q qi steps u w x y =
  let b0 = run_times n n n (run_times n n n q a) qi in
  let c = mkseq (fun i -> run_row n (nth [] q i) b) n in
  (&&) (run_equal n n (run_times n n n q qi) (run_unit n))
    ((&&)
      (all (fun i -> run_origin_step n e scatter b0 c i (nth None steps i))
        (iota (S O) (pred n))) (run_origin_lower n e a b u w x y))
