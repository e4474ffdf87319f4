/* A room's settings in one sentence, for those who cannot change them. */
import { number, plain, t } from "./text.js";

export function terms({ questionSource, questionCount, secondsPerQuestion }) {
  const { kind, region, difficulty } = questionSource;
  const what = kind === "flags"
    ? t("terms.flags", { region: plain(t(`region.${region}`)), difficulty: plain(t(`difficulty.${difficulty}`)) })
    : t("terms.set");
  return [what, t("terms.count", { n: questionCount, seconds: plain(number(secondsPerQuestion)) })].join(" ");
}
