//! The syntax tree of an expression: how large it is, and the parts of its maps.

use cel::common::ast::{EntryExpr, Expr, IdedExpr};

/// Returns how deep an expression is, and how many loops are inside of one another.
pub(super) fn measure(expr: &IdedExpr) -> (usize, u32) {
    let mut deepest = (0, 0);
    let mut add = |part: &IdedExpr| {
        let (depth, loops) = measure(part);
        deepest = (deepest.0.max(depth), deepest.1.max(loops));
    };
    match &expr.expr {
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).for_each(add),
        Expr::Select(select) => add(&select.operand),
        Expr::List(list) => list.elements.iter().for_each(add),
        Expr::Map(map) => map.entries.iter().flat_map(|entry| parts_of(&entry.expr)).for_each(add),
        Expr::Struct(parts) => {
            parts.entries.iter().flat_map(|entry| parts_of(&entry.expr)).for_each(add);
        }
        Expr::Comprehension(each) => {
            [&each.accu_init, &each.loop_cond, &each.loop_step, &each.result]
                .into_iter()
                .for_each(&mut add);
            deepest.1 += 1;
            let (depth, loops) = measure(&each.iter_range);
            deepest = (deepest.0.max(depth), deepest.1.max(loops));
        }
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => {}
    }
    (deepest.0 + 1, deepest.1)
}

/// Returns the expressions in an entry of a map.
pub(super) fn parts_of(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}
