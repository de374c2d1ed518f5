-- The system prompt of an attempt, stored beside its prompt; null: it had none.
ALTER TABLE attempts ADD COLUMN system_prompt_sha256 TEXT;
