-- The budgets of which nothing is left, apart from those of single briefs: usually there is none.
CREATE INDEX budgets_used_up ON budgets (scope_id) WHERE scope <> 'brief' AND (tokens_spent >= token_limit OR micros_spent >= cost_limit_micros);
