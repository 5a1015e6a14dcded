(* Runs the programs of checker.ml on the lines of standard input; see test_proved_checker.py. *)
open Checker

let rec nat k = if k = 0 then O else S (nat (k - 1))
let bits s = List.init (String.length s - 1) (fun i -> s.[i + 1] = '1')
let matrix s = if s = "-" then [] else List.map bits (String.split_on_char ',' s)

let step s =
  match String.split_on_char '|' s with
  | [ left; right ] -> Some (matrix left, matrix right)
  | _ -> None

let text row = String.concat "" (List.map (fun b -> if b then "1" else "0") row)

let answer line =
  match String.split_on_char ' ' line with
  | [ "check"; n; e; scatter; a; b; q; qi; steps; u; w ] ->
      let listed = List.map step (String.split_on_char ';' steps) in
      let found =
        run_check (nat (int_of_string n)) (nat (int_of_string e)) (scatter = "1") (matrix a)
          (bits b) (matrix q) (matrix qi) listed (matrix u) (matrix w)
      in
      if found then "1" else "0"
  | [ "origin"; n; e; scatter; a; b; q; qi; steps; u; w; x; y ] ->
      let listed = List.map step (String.split_on_char ';' steps) in
      let found =
        run_check_origin (nat (int_of_string n)) (nat (int_of_string e)) (scatter = "1") (matrix a)
          (bits b) (matrix q) (matrix qi) listed (matrix u) (matrix w) (bits x) (bits y)
      in
      if found then "1" else "0"
  | [ "lcp"; n; a; b ] -> (
      match run_lcp_optimizer (nat (int_of_string n)) (matrix a) (bits b) with
      | Some s -> String.concat "," (List.map text s.lQ)
      | None -> "-")
  | _ -> failwith line

let () =
  try
    while true do
      print_endline (answer (input_line stdin))
    done
  with End_of_file -> ()
