(* Shifts on fat trees: y = x + s mod k^n is free of contention on the k-ary n-tree.

   A switch of level l has k^l hosts below it. A message from x to y that goes up from level l has
   the channel of the switches above the hosts x div k^l that is named by z mod k^l, going down
   that of y div k^l; z is y where routes go by destination, x where they go by source. Of x + s
   the low digits name the low digits of x, and the channel knows the high ones. *)

From mathcomp Require Import all_ssreflect zify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Lemma same_number K x x' : x %/ K = x' %/ K -> x %% K = x' %% K -> x = x'.
Proof. by move=> high low; rewrite (divn_eq x K) high low -divn_eq. Qed.

(* On each channel, up and down, by destination and by source, there is one message at most. *)
(** Claims: lattice.fattree.shift. *)
Theorem fat_tree_shift k n s l x x' : 0 < k -> l <= n -> x < k ^ n -> x' < k ^ n ->
  let y u := (u + s) %% k ^ n in
  [/\ (x %/ k ^ l, y x %% k ^ l) = (x' %/ k ^ l, y x' %% k ^ l) -> x = x',
      (y x %/ k ^ l, y x %% k ^ l) = (y x' %/ k ^ l, y x' %% k ^ l) -> x = x',
      (x %/ k ^ l, x %% k ^ l) = (x' %/ k ^ l, x' %% k ^ l) -> x = x'
    & (y x %/ k ^ l, x %% k ^ l) = (y x' %/ k ^ l, x' %% k ^ l) -> x = x'].
Proof.
move=> k0 ln xn x'n y; have div : k ^ l %| k ^ n by rewrite dvdn_exp2l.
have low u : y u %% k ^ l = (u + s) %% k ^ l by rewrite modn_dvdm.
have inj : y x = y x' -> x = x'.
  by move/eqP; rewrite eqn_modDr !modn_small // => /eqP.
split=> -[high same]; last 1 first.
- apply/inj/(same_number high); rewrite !low; apply/eqP; rewrite eqn_modDr; exact/eqP.
- by apply: (same_number high); move/eqP: same; rewrite !low eqn_modDr => /eqP.
- exact/inj/(same_number high).
exact: (same_number high).
Qed.
