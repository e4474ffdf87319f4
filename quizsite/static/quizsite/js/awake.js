/* Keeps the screen on while somebody is in a room: a phone that goes dark in the middle of a question loses its socket.
   Best effort, for only secure contexts have the wake lock, and a browser may refuse or take it back at any time. */

/** `keep(true)` asks for the lock, and again each time the page comes back to the front; `keep(false)` lets it go. */
export function keepAwake(navigator, document) {
  let [wanted, lock, asking] = [false, null, false];

  async function ask() {
    if (!wanted || lock || asking || !navigator.wakeLock || document.visibilityState !== "visible") return;
    asking = true;
    try {
      hold(await navigator.wakeLock.request("screen"));
    } catch {
      // low battery, or hidden meanwhile: asked again when the page is seen again
    } finally {
      asking = false;
    }
  }

  /** The browser itself lets go of a page that is hidden. */
  function hold(granted) {
    lock = granted;
    granted.addEventListener("release", () => { lock = null; });
    if (!wanted) granted.release(); // left while the browser thought about it
  }
  document.addEventListener("visibilitychange", ask);

  return function keep(on) {
    if (on === wanted) return;
    wanted = on;
    if (on) ask();
    else lock?.release();
  };
}
