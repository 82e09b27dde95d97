//! Squares that hold the floor together: a box on one of them parts its neighbours, whatever stands elsewhere.
//!
//! A flood looks for all squares from which some box could be pushed. Behind a box in a corridor there is such a square
//! that the keeper never reaches, and looking for it floods all the rest of the board. So on large boards such squares
//! are not looked for.
//!
//! Cut squares are found by one depth-first search (J. Hopcroft and R. Tarjan, *Algorithm 447: efficient algorithms for
//! graph manipulation*, 1973).

use crate::Direction;
use crate::board::{Board, Square};

/// The cut squares of one board.
#[derive(Clone, Debug)]
pub(crate) struct Cuts {
    nodes: Vec<Node>,
}

/// A square in the tree of the search. Squares below it have numbers from `number` to below `end`.
#[derive(Clone, Copy, Debug)]
struct Node {
    number: u32,
    end: u32,
    /// The square above it, if a box there parts all below from all the rest; else itself.
    severed_by: Square,
}

impl Cuts {
    pub(crate) fn new(board: &Board) -> Self {
        let squares = board.squares();
        let root = board.keeper();
        let unseen = Node { number: u32::MAX, end: 0, severed_by: root };
        let mut nodes = vec![unseen; squares];
        // The least number next to a square of each subtree.
        let mut lowest = vec![u32::MAX; squares];
        let mut count = 0;
        // Square, the one above it, and the direction to look in next.
        let mut path = vec![(root, root, 0)];
        while let Some((square, above, looked)) = path.last_mut() {
            let (square, above) = (*square, *above);
            let node = &mut nodes[square.index()];
            if *looked == 0 {
                node.number = count;
                node.severed_by = square;
                lowest[square.index()] = count;
                count += 1;
            }
            if let Some(&direction) = Direction::ALL.get(*looked) {
                *looked += 1;
                let Some(next) = board.neighbour(square, direction) else { continue };
                let number = nodes[next.index()].number;
                if number == u32::MAX {
                    path.push((next, square, 0));
                } else if next != above {
                    let lowest = &mut lowest[square.index()];
                    *lowest = number.min(*lowest);
                }
                continue;
            }
            node.end = count;
            path.pop();
            if square != root {
                if lowest[square.index()] >= nodes[above.index()].number {
                    nodes[square.index()].severed_by = above;
                }
                lowest[above.index()] = lowest[above.index()].min(lowest[square.index()]);
            }
        }
        Self { nodes }
    }

    /// Whether a box on `cut` parts two other squares.
    pub(crate) fn parts(&self, board: &Board, cut: Square, one: Square, other: Square) -> bool {
        self.side(board, cut, one) != self.side(board, cut, other)
    }

    /// The subtree below `cut` that a square lies in, if it is severed; all the rest is one side.
    fn side(&self, board: &Board, cut: Square, square: Square) -> Option<Square> {
        let number = self.nodes[square.index()].number;
        let beside = Direction::ALL.into_iter().filter_map(|to| board.neighbour(cut, to));
        beside.into_iter().find(|below| {
            let node = &self.nodes[below.index()];
            node.severed_by == cut && *below != cut && (node.number..node.end).contains(&number)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tests::board;
    use crate::squares::{Mask, SquareSet};
    use crate::walk::{Ground, MaskGround};

    #[test]
    fn a_box_parts_squares_just_where_a_flood_does_not_get_round_it() {
        let boards = [
            "######\n#@ $.#\n######",
            "########\n#@ # $.#\n#  #   #\n#      #\n### ####\n#   #  #\n# # #  #\n#   $. #\n########",
            "#########\n#   #   #\n# # @ # #\n#   #   #\n## ### ##\n#   $  .#\n#########",
            "#########\n## ### ##\n#   #   #\n## #@# ##\n#       #\n###   $.#\n### # ###\n#########",
        ];
        let mut parted = 0;
        for text in boards {
            let board = board(text);
            let cuts = Cuts::new(&board);
            let mut ground = MaskGround::<1>::new(&board);
            for cut in board.all() {
                let boxes = Mask::from_squares(board.squares(), [cut]);
                for one in board.all().filter(|&one| one != cut) {
                    let region = ground.region(&boxes, one);
                    for other in board.all().filter(|&other| other != cut) {
                        let parts = cuts.parts(&board, cut, one, other);
                        assert_eq!(
                            parts,
                            !region.contains(other),
                            "{cut:?} {one:?} {other:?}\n{text}"
                        );
                        parted += u32::from(parts);
                    }
                }
            }
        }
        assert!(parted > 100, "{parted}");
    }
}
