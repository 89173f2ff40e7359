"use strict";
// Everything can be read without this. It lights a policy's lines up when its row is touched, and copies commands.
for (const section of document.querySelectorAll("section")) {
  const light = (policy) => {
    section.classList.toggle("lit", Boolean(policy));
    for (const part of section.querySelectorAll("[data-policy]")) {
      part.classList.toggle("on", part.dataset.policy === policy);
    }
  };
  const under = (event) => event.target.closest("[data-policy]");
  section.addEventListener("pointerover", (event) => light(under(event)?.dataset.policy));
  section.addEventListener("pointerleave", () => light());
  const command = section.querySelector(".replay pre");
  if (command && navigator.clipboard) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    section.querySelector(".replay h3").append(button);
  }
}
