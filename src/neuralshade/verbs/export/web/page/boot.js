document.body.insertAdjacentHTML("beforeend", '<p id="loading">Loading</p>');
try {
  for (const kind of ["style", "script"]) {
    const letters = atob(document.getElementById(kind).textContent);
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const made = document.createElement(kind);
    made.textContent = await new Response(plain).text();
    document.head.append(made); // its text is one that the policy above names by its hash
  }
} catch (error) {
  document.getElementById("loading").textContent = `This page needs a newer browser: ${error}`;
}
