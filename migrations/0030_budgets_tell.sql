DROP INDEX "model_turn_age";--> statement-breakpoint
ALTER TABLE "budget" ADD COLUMN "told" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "budget" ADD COLUMN "mailed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "model_turn_try" ON "model_turn" USING btree ("created_at") WHERE conversation_id IS NULL;
--> statement-breakpoint
-- How much of a budget is spent is told once in each period, in the transaction that spends it, by any node. Writers set
-- `told` to 0 with a new period or amount, and to 100 when a call does not fit any more.
CREATE FUNCTION budget_raises_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.told := greatest(NEW.told, CASE WHEN NEW.spent >= NEW.amount THEN 100 WHEN NEW.spent >= NEW.amount * 0.8 THEN 80 ELSE 0 END);
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER budget_raises_told_new BEFORE INSERT ON budget FOR EACH ROW EXECUTE FUNCTION budget_raises_told();
--> statement-breakpoint
CREATE TRIGGER budget_raises_told BEFORE UPDATE OF spent, amount ON budget FOR EACH ROW
  WHEN ((NEW.spent, NEW.amount) IS DISTINCT FROM (OLD.spent, OLD.amount)) EXECUTE FUNCTION budget_raises_told();
--> statement-breakpoint
CREATE FUNCTION tell_budget() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := CASE WHEN NEW.told >= 100 THEN 'budget.spent' ELSE 'budget.warning' END;
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, kind) THEN
    PERFORM tell_event(NEW.org_id, kind, NULL, json_build_object('id', NEW.id, 'subject', NEW.subject,
      'subject_id', nullif(NEW.subject_id, ''), 'period', NEW.period, 'period_start', NEW.period_start, 'unit', NEW.unit,
      'amount', NEW.amount, 'spent', NEW.spent));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_budget_new AFTER INSERT ON budget FOR EACH ROW WHEN (NEW.told > 0) EXECUTE FUNCTION tell_budget();
--> statement-breakpoint
CREATE TRIGGER tell_budget AFTER UPDATE ON budget FOR EACH ROW
  WHEN (NEW.told > 0 AND (NEW.told > OLD.told OR NEW.period_start > OLD.period_start OR NEW.amount <> OLD.amount))
  EXECUTE FUNCTION tell_budget();
